package dev.quiver.lifecycle.worker;

import java.util.List;

import dev.quiver.lifecycle.redis.Script;

/** Scripts about sessions and pools, whatever they work at. */
public final class WorkerScripts {

    static final Script ANNOUNCE = script("announce");
    static final Script DRAIN = script("drain");
    static final Script DROP_POOL = script("drop_pool");
    public static final Script OPEN_SESSION = script("open_session");
    static final Script HEARTBEAT = script("heartbeat");
    static final Script PICK = script("pick");
    static final Script PASS_ON = script("pass_on");
    static final Script WATCH = script("watch");
    static final Script FENCE = script("fence");
    static final Script ROSTER = script("roster");
    static final Script KEEP_DRAINING = script("keep_draining");
    static final Script PREPARED = script("prepared");
    static final Script CREW = script("crew");
    static final Script HELD = script("held");
    static final Script RECORD_QUEUE = script("record_queue");
    static final Script NOTE_FATE = script("note_fate");
    static final Script CONTAINER_END = script("container_end");
    static final Script WAITING = script("waiting");
    static final Script LOADS = script("loads");

    public static final List<Script> ALL = List.of(
            ANNOUNCE,
            DRAIN,
            DROP_POOL,
            OPEN_SESSION,
            HEARTBEAT,
            PICK,
            PASS_ON,
            WATCH,
            FENCE,
            ROSTER,
            KEEP_DRAINING,
            PREPARED,
            CREW,
            HELD,
            RECORD_QUEUE,
            NOTE_FATE,
            CONTAINER_END,
            WAITING,
            LOADS);

    private WorkerScripts() {}

    private static Script script(String name) {
        return Script.of("worker/" + name);
    }
}
