package dev.quiver.lifecycle.history.stream;

import java.util.List;

import dev.quiver.lifecycle.redis.Script;

/** Scripts about the record as a whole: those of its reader, and those of the operator. */
public final class HistoryScripts {

    static final Script READ = Script.of("history/read");
    static final Script TRIM = Script.of("history/trim");
    static final Script DELETED = Script.of("history/deleted");
    static final Script BACKLOG = Script.of("history/backlog");

    static final Script NOTE_ROOM = Script.of("history/note_room");

    /** All of them. */
    public static final List<Script> ALL = List.of(READ, TRIM, DELETED, BACKLOG, NOTE_ROOM);

    private HistoryScripts() {}
}
