package dev.quiver.lifecycle.task;

import java.util.List;

import dev.quiver.lifecycle.redis.Script;

/** Scripts about Tasks. */
public final class TaskScripts {

    static final Script CREATE = script("create");
    static final Script SUBMIT = script("submit");
    static final Script STEP = script("step");
    static final Script RUN_COMMANDS = script("run_commands");
    static final Script PUT_OFF = script("put_off");
    static final Script CONTROL = script("control");
    static final Script DROP = script("drop");
    static final Script REAP = script("reap");
    static final Script ADOPT = script("adopt");
    static final Script ATTEND = script("attend");

    static final Script TEMPLATE = script("template");
    static final Script SCHEDULE = script("schedule");
    static final Script FIRE = script("fire");
    static final Script END_SCHEDULE = script("end_schedule");

    static final Script RECORD_BEGIN = script("record_begin");
    static final Script RECORD_RANGE = script("record_range");
    static final Script RECORD_END = script("record_end");

    static final Script RUNS = script("runs");
    static final Script REPORT = script("report");
    static final Script RESULTS = script("results");
    static final Script ENDED = script("ended");
    static final Script TREES = script("trees");

    public static final List<Script> ALL = List.of(
            CREATE,
            SUBMIT,
            STEP,
            RUN_COMMANDS,
            PUT_OFF,
            CONTROL,
            DROP,
            REAP,
            ADOPT,
            ATTEND,
            TEMPLATE,
            SCHEDULE,
            FIRE,
            END_SCHEDULE,
            RECORD_BEGIN,
            RECORD_RANGE,
            RECORD_END,
            RUNS,
            REPORT,
            RESULTS,
            ENDED,
            TREES);

    private TaskScripts() {}

    private static Script script(String name) {
        return Script.of("task/" + name);
    }
}
