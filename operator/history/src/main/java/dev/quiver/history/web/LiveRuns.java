package dev.quiver.history.web;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;

import dev.quiver.history.live.LiveRun;
import dev.quiver.history.query.Run;
import dev.quiver.history.query.RunParts;
import dev.quiver.lifecycle.history.RunKind;

/** The part of the record about a run that is not over, for requests of its figures. Stateless. */
final class LiveRuns {

    private static final String POOL = "workerPoolRef";
    /** Pools of one run that are looked at. */
    private static final int POOLS = 16;

    private LiveRuns() {}

    /** Absent for a run that is over. */
    static Optional<LiveRun> of(Connection connection, Run run) throws SQLException {
        if (run.status().isPresent()) {
            return Optional.empty();
        }
        Set<String> pools = new LinkedHashSet<>();
        run.pool().ifPresent(pools::add);
        boolean set = run.kind().equals(RunKind.TASK_SET.word());
        if (!set) {
            addPools(run.spec(), pools);
        }
        return Optional.of(new LiveRun(
                run.keyspace(),
                run.uid(),
                run.kind(),
                pools.stream().limit(POOLS).toList(),
                set ? List.of() : RunParts.chunks(connection, run.id())));
    }

    /** A node may name a pool of its own. */
    private static void addPools(byte[] spec, Set<String> pools) {
        if (spec.length == 0) {
            return;
        }
        try {
            Deque<JsonNode> open = new ArrayDeque<>(List.of(Documents.MAPPER.readTree(spec)));
            while (!open.isEmpty()) {
                JsonNode node = open.remove();
                String name = node.path(POOL).path("name").asText();
                if (name.matches("[a-z0-9.-]{1,253}")) {
                    pools.add(name);
                }
                node.forEach(open::add);
            }
        } catch (IOException e) {
            // What a tenant wrote need not be JSON.
        }
    }
}
