package dev.quiver.lifecycle.ordinals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.TaskEstimate;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;

/**
 * Claims in the reply of step and adopt.
 *
 * @param source of all claims
 * @param tasks of the source
 * @param session that claims
 */
record ClaimRows(String source, OrdinalTasks tasks, String session) {

    /** Stands before the estimate of a task that another session holds, too. */
    private static final String COPY = "c";

    /**
     * The claims of a reply.
     *
     * @param fence the call that claimed them
     * @param slowness of the worker, in thousandths of the usual time; 0 where it is not known
     */
    List<Claim> read(long fence, ScriptReply reply, int slowness) {
        List<Claim> claims = new ArrayList<>();
        String told = reply.text("estimates");
        String[] estimates = told.isEmpty() ? new String[0] : told.split(" ");
        for (ScriptReply.Row row : reply.rows("claims")) {
            String id = row.text("id");
            String estimate = claims.size() < estimates.length ? estimates[claims.size()] : "0";
            boolean copy = estimate.startsWith(COPY);
            String payload = row.text("payload");
            RunnableTask task = tasks.task(
                    Long.parseLong(id),
                    row.count("trial"),
                    payload.isEmpty() ? Optional.empty() : Optional.of(payload),
                    session + "-" + fence,
                    estimate(Long.parseLong(copy ? estimate.substring(COPY.length()) : estimate), slowness));
            claims.add(new Claim(source, id, fence, Place.parse(row.text("place")), task, copy));
        }
        return List.copyOf(claims);
    }

    /** Odd ms are those of a task that no run knows; 0 of one that stands in no order. */
    private static Optional<TaskEstimate> estimate(long millis, int slowness) {
        return millis == 0
                ? Optional.empty()
                : Optional.of(new TaskEstimate(Duration.ofMillis(millis), millis % 2 == 0, slowness));
    }
}
