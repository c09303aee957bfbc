package dev.quiver.lifecycle.history.stream;

import java.util.List;

import dev.quiver.lifecycle.redis.Script;

/** Scripts of the record's reader. */
public final class HistoryScripts {

    static final Script READ = Script.of("history/read");
    static final Script TRIM = Script.of("history/trim");

    /** All of them. */
    public static final List<Script> ALL = List.of(READ, TRIM);

    private HistoryScripts() {}
}
