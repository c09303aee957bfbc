package dev.quiver.lifecycle.wires.queue;

import java.util.List;

import dev.quiver.lifecycle.redis.Script;

/** Scripts about jobs under a prefix. */
public final class QueueScripts {

    static final Script GRANT = script("grant");
    static final Script REVOKE = script("revoke");
    static final Script ADD = script("add");
    static final Script CONTROL = script("control");
    static final Script REPORT = script("report");
    static final Script RESULTS = script("results");
    static final Script STEP = script("step");
    static final Script FEED = script("feed");
    static final Script TICK = script("tick");
    static final Script ATTEND = script("attend");
    static final Script ADOPT = script("adopt");
    static final Script REAP = script("reap");

    public static final List<Script> ALL =
            List.of(GRANT, REVOKE, ADD, CONTROL, REPORT, RESULTS, STEP, FEED, TICK, ATTEND, ADOPT, REAP);

    private QueueScripts() {}

    private static Script script(String name) {
        return Script.of("queue/" + name);
    }
}
