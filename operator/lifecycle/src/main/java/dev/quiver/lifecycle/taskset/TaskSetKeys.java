package dev.quiver.lifecycle.taskset;

import java.util.regex.Pattern;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.OrdinalKeys;

/** The keys of one TaskSet. */
record TaskSetKeys(Keyspace keyspace, String uid) {

    /** Ends the name of the source that a program of {@code spec.source.command} is; no uid of a resource ends so. */
    private static final String LISTING = "-listing";

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

    /** The source whose one task is the program that names the tasks of this set. */
    static String listing(String uid) {
        return checkUid(uid + LISTING);
    }

    /** Whether the source is such a program. */
    static boolean isListing(String uid) {
        return uid.endsWith(LISTING);
    }

    /** The set that the source is, or whose program it is. */
    static String owner(String uid) {
        return isListing(uid) ? uid.substring(0, uid.length() - LISTING.length()) : uid;
    }

    String set() {
        return keyspace.prefix() + "taskset:" + uid;
    }

    /** The keys as those of a source of numbered tasks, which reports to the changed sets of the keyspace. */
    OrdinalKeys source() {
        return new OrdinalKeys(uid, set(), keyspace.dirty(), keyspace.commands());
    }

    /** Hash: pages of the list that a program wrote, by their numbers. */
    String pages() {
        return set() + ":pages";
    }

    String tombstone() {
        return set() + ":tombstone";
    }
}
