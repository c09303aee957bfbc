package dev.quiver.lifecycle.wires.idoit;

import java.util.List;

import dev.quiver.lifecycle.redis.Script;

/** Scripts about tasks of the wire. */
public final class IdoitScripts {

    static final Script GRANT = script("grant");
    static final Script REVOKE = script("revoke");
    static final Script CREATE = script("create");
    static final Script CONTROL = script("control");
    static final Script DROP = script("drop");
    static final Script REPORT = script("report");
    static final Script RESULT = script("result");
    static final Script STEP = script("step");
    static final Script CONSUME = script("consume");
    static final Script TICK = script("tick");
    static final Script ATTEND = script("attend");
    static final Script ADOPT = script("adopt");
    static final Script REAP = script("reap");

    public static final List<Script> ALL =
            List.of(GRANT, REVOKE, CREATE, CONTROL, DROP, REPORT, RESULT, STEP, CONSUME, TICK, ATTEND, ADOPT, REAP);

    private IdoitScripts() {}

    private static Script script(String name) {
        return Script.of("idoit/" + name);
    }
}
