package dev.quiver.lifecycle.taskset;

import java.util.List;

import dev.quiver.lifecycle.redis.Script;

/** Scripts about TaskSets. */
public final class TaskSetScripts {

    static final Script OPEN = script("open");
    static final Script CHANGE_STATUS = script("change_status");
    static final Script ADJUST = script("adjust");
    static final Script DROP = script("drop");
    static final Script SNAPSHOT = script("snapshot");
    static final Script UNPASSED = script("unpassed");
    static final Script ORDER = script("order");
    static final Script LIST = script("list");
    static final Script PAGE = script("page");

    public static final List<Script> ALL =
            List.of(OPEN, CHANGE_STATUS, ADJUST, DROP, SNAPSHOT, UNPASSED, ORDER, LIST, PAGE);

    private TaskSetScripts() {}

    private static Script script(String name) {
        return Script.of("taskset/" + name);
    }
}
