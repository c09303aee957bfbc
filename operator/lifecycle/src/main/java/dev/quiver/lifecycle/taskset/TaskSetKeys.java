package dev.quiver.lifecycle.taskset;

import java.util.regex.Pattern;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.OrdinalKeys;

/** The keys of one TaskSet. */
record TaskSetKeys(Keyspace keyspace, String uid) {

    private static final Pattern UID = Pattern.compile("[A-Za-z0-9-]{1,64}");

    TaskSetKeys {
        checkUid(uid);
    }

    /** Whether the text can be the uid of a set. */
    static boolean isUid(String text) {
        return UID.matcher(text).matches();
    }

    static String checkUid(String uid) {
        if (!isUid(uid)) {
            throw new IllegalArgumentException("uid must be 1 to 64 letters, digits or dashes: " + uid);
        }
        return uid;
    }

    String set() {
        return keyspace.prefix() + "taskset:" + uid;
    }

    /** The keys as those of a source of numbered tasks, which reports to the changed sets of the keyspace. */
    OrdinalKeys source() {
        return new OrdinalKeys(uid, set(), keyspace.dirty(), keyspace.commands());
    }

    String tombstone() {
        return set() + ":tombstone";
    }
}
