package dev.quiver.supervisor.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.SourceStatus;
import dev.quiver.supervisor.engine.session.MemorySource;

/** A source of {@link MemoryWork}. */
final class MemorySet {
    final Optional<String> handler;
    final List<String> mixed;
    final Deque<Long> queue = new ArrayDeque<>();
    final Map<String, Claim> held = new HashMap<>();
    final Set<Long> passed = new TreeSet<>();
    SourceStatus status = SourceStatus.RUNNING;
    int failedTrials;
    int lost;
    int returned;
    int mostClaimed;
    int picked;
    int priority;
    int moved;
    int fed;
    Optional<Integer> batch = Optional.empty();
    final Map<Long, Integer> troubles = new HashMap<>();
    final Set<String> lossMessages = new HashSet<>();

    MemorySet(Optional<String> handler, List<String> mixed) {
        this.handler = handler;
        this.mixed = mixed;
    }

    MemorySource.Task task(String uid, long id) {
        return new MemorySource.Task(
                uid,
                id,
                mixed.isEmpty() ? handler : Optional.of(mixed.get((int) id % mixed.size())),
                1 + troubles.getOrDefault(id, 0));
    }
}
