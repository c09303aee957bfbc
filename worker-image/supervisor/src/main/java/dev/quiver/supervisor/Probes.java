package dev.quiver.supervisor;

import java.util.ArrayList;
import java.util.List;

import dev.quiver.supervisor.engine.DrainState;
import dev.quiver.supervisor.engine.EngineStatus;
import dev.quiver.supervisor.http.Answer;

/** What the probes say about an engine. Pure. */
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
                ? Answer.yes("ready: session " + status.session().orElse("") + ", " + status.busy() + " busy, "
                        + status.free() + " free")
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
