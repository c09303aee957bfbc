package dev.quiver.lifecycle.ordinals;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;

/**
 * Claims in the reply of step and adopt: {@code (id, place, trial, payload)} for each, up to the end of the reply.
 *
 * @param source of all claims
 * @param tasks of the source
 * @param session that claims
 */
record ClaimRows(String source, OrdinalTasks tasks, String session) {

    /**
     * The claims of a reply.
     *
     * @param fence the call that claimed them
     * @param from index of the first claim in the reply
     */
    List<Claim> read(long fence, ScriptReply reply, int from) {
        List<Claim> claims = new ArrayList<>();
        for (int i = from; i + 3 < reply.size(); i += 4) {
            String payload = reply.text(i + 3);
            RunnableTask task = tasks.task(
                    Long.parseLong(reply.text(i)),
                    Math.toIntExact(reply.number(i + 2)),
                    payload.isEmpty() ? Optional.empty() : Optional.of(payload),
                    session + "-" + fence);
            claims.add(new Claim(source, reply.text(i), fence, Place.parse(reply.text(i + 1)), task));
        }
        return List.copyOf(claims);
    }
}
