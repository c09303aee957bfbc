package dev.quiver.lifecycle.taskset;

import java.util.List;

import dev.quiver.lifecycle.Script;

/** Every script of the own dialect. */
final class TaskSetScripts {

    static final Script OBSERVE = script("observe");
    static final Script ADVANCE = script("advance");
    static final Script RETIRE = script("retire");
    static final Script OPEN = script("open");
    static final Script FEED = script("feed");
    static final Script END = script("end");
    static final Script ADJUST = script("adjust");
    static final Script DROP = script("drop");
    static final Script CLEAN = script("clean");
    static final Script ANNOUNCE = script("announce");
    static final Script DRAIN = script("drain");
    static final Script DROP_POOL = script("drop_pool");
    static final Script OPEN_SESSION = script("open_session");
    static final Script BEAT = script("beat");
    static final Script PICK = script("pick");
    static final Script PASS_ON = script("pass_on");
    static final Script STEP = script("step");
    static final Script WATCH = script("watch");
    static final Script CONDEMN = script("condemn");
    static final Script ADOPT = script("adopt");
    static final Script REAP = script("reap");
    static final Script PROMOTE = script("promote");

    static final List<Script> ALL = List.of(
            OBSERVE,
            ADVANCE,
            RETIRE,
            OPEN,
            FEED,
            END,
            ADJUST,
            DROP,
            CLEAN,
            ANNOUNCE,
            DRAIN,
            DROP_POOL,
            OPEN_SESSION,
            BEAT,
            PICK,
            PASS_ON,
            STEP,
            WATCH,
            CONDEMN,
            ADOPT,
            REAP,
            PROMOTE);

    private TaskSetScripts() {}

    private static Script script(String name) {
        return Script.beside(TaskSetScripts.class, name);
    }
}
