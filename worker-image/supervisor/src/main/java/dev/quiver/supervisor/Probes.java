package dev.quiver.supervisor;

import java.util.ArrayList;
import java.util.List;

import dev.quiver.http.Answer;
import dev.quiver.supervisor.engine.DrainState;
import dev.quiver.supervisor.engine.EngineStatus;

/**
 * The answers of the probes about an engine. Pure. Any pod of the cluster may ask, so no word of it names a session or
 * the uid of a pool. That uid is all it takes to drain.
 */
final class Probes {

    private Probes() {}

    /** Ready: a session is held, Redis answers, an agent takes tasks, nobody drains. */
    static Answer ready(EngineStatus status) {
        List<String> missing = new ArrayList<>();
        status.poolGone().ifPresent(missing::add);
        status.storeTrouble().ifPresent(words -> missing.add("Redis: " + words));
        status.sessionAbsence().ifPresent(words -> missing.add("session: " + words));
        status.executorAbsence().ifPresent(words -> missing.add("worker: " + words));
        if (status.drain() != DrainState.SERVING) {
            missing.add("drain: " + status.drain());
        }
        return missing.isEmpty()
                ? Answer.yes("ready: a session is held, " + status.busy() + " busy, " + status.free() + " free")
                : Answer.no(String.join("\n", missing));
    }

    /** Alive: the engine's thread runs and the user's side kept to the protocol. */
    static Answer live(EngineStatus status) {
        if (status.fault().isPresent()) {
            return Answer.no("the engine ended: " + status.fault().get());
        }
        return status.violation()
                .map(words -> Answer.no("the worker container broke the slots' protocol, replace the pod: " + words))
                .orElseGet(() -> Answer.yes("live"));
    }
}
