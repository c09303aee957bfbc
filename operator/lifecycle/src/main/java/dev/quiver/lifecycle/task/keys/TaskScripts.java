package dev.quiver.lifecycle.task.keys;

import java.util.List;

import dev.quiver.lifecycle.redis.Script;

/** Scripts about Tasks. */
public final class TaskScripts {

    public static final Script CREATE = script("create");
    public static final Script SUBMIT = script("submit");
    public static final Script STEP = script("step");
    public static final Script RUN_COMMANDS = script("run_commands");
    public static final Script PUT_OFF = script("put_off");
    public static final Script CONTROL = script("control");
    public static final Script UNDO = script("undo");
    public static final Script TAKE = script("take");
    public static final Script LEFT = script("left");
    public static final Script EVENTS = script("events");
    public static final Script STATE = script("state");
    public static final Script RANK = script("rank");
    public static final Script PLACE = script("place");
    public static final Script BOOST = script("boost");
    public static final Script GATE = script("gate");
    public static final Script DECLARE = script("declare");
    public static final Script PROBE = script("probe");
    public static final Script RESOURCES = script("resources");
    public static final Script BLOCKED = script("blocked");
    public static final Script ARRANGE = script("arrange");
    public static final Script CLEAR_BOOSTS = script("clear_boosts");
    public static final Script DROP = script("drop");
    public static final Script REAP = script("reap");
    public static final Script ADOPT = script("adopt");
    public static final Script ATTEND = script("attend");

    public static final Script TEMPLATE = script("template");
    public static final Script SCHEDULE = script("schedule");
    public static final Script FIRE = script("fire");
    public static final Script END_SCHEDULE = script("end_schedule");

    public static final Script RECORD_BEGIN = script("record_begin");
    public static final Script RECORD_RANGE = script("record_range");
    public static final Script RECORD_END = script("record_end");

    public static final Script RUNS = script("runs");
    public static final Script REPORT = script("report");
    public static final Script RESULTS = script("results");
    public static final Script ENDED = script("ended");
    public static final Script TREES = script("trees");

    /** Each of them. */
    public static final List<Script> ALL = List.of(
            CREATE,
            SUBMIT,
            STEP,
            RUN_COMMANDS,
            PUT_OFF,
            CONTROL,
            UNDO,
            TAKE,
            LEFT,
            EVENTS,
            STATE,
            RANK,
            PLACE,
            BOOST,
            GATE,
            DECLARE,
            PROBE,
            RESOURCES,
            BLOCKED,
            ARRANGE,
            CLEAR_BOOSTS,
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
