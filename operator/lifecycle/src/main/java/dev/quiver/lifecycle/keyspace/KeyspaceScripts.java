package dev.quiver.lifecycle.keyspace;

import java.util.List;

import dev.quiver.lifecycle.redis.Script;

/** Scripts about a keyspace as a whole. */
public final class KeyspaceScripts {

    static final Script OBSERVE = script("observe");
    static final Script ADVANCE = script("advance");
    static final Script RETIRE = script("retire");
    public static final Script CLEAN = script("clean");
    static final Script FIELDS = script("fields");
    static final Script ENTRIES = script("entries");
    public static final Script MARKS = script("marks");
    public static final Script PRESENT = script("present");
    static final Script RETAKE = script("retake");

    public static final List<Script> ALL =
            List.of(OBSERVE, ADVANCE, RETIRE, CLEAN, FIELDS, ENTRIES, MARKS, PRESENT, RETAKE);

    private KeyspaceScripts() {}

    private static Script script(String name) {
        return Script.of("keyspace/" + name);
    }
}
