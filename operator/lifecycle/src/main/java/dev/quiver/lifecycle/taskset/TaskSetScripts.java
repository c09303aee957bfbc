package dev.quiver.lifecycle.taskset;

import java.util.List;

import dev.quiver.lifecycle.redis.Script;

/** Scripts about TaskSets. */
public final class TaskSetScripts {

    static final Script OPEN = script("open");
    static final Script FEED = script("feed");
    static final Script END = script("end");
    static final Script ADJUST = script("adjust");
    static final Script DROP = script("drop");
    static final Script STEP = script("step");
    static final Script ADOPT = script("adopt");
    static final Script REAP = script("reap");
    static final Script PROMOTE = script("promote");
    static final Script SNAPSHOT = script("snapshot");
    static final Script ENDED = script("ended");
    static final Script MEMBERS = script("members");

    public static final List<Script> ALL =
            List.of(OPEN, FEED, END, ADJUST, DROP, STEP, ADOPT, REAP, PROMOTE, SNAPSHOT, ENDED, MEMBERS);

    private TaskSetScripts() {}

    private static Script script(String name) {
        return Script.of("taskset/" + name);
    }
}
