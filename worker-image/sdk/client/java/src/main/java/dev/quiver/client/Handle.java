package dev.quiver.client;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

import com.fasterxml.jackson.databind.JsonNode;

import dev.quiver.lifecycle.task.model.TreeState;

/**
 * A job that was created. Immutable.
 *
 * @param id by which other programs find it, too
 */
public record Handle(QuiverClient client, String id) {

    /** Completes when it has ended, however. */
    public CompletableFuture<Void> ended() {
        return client.ended(id);
    }

    /** Waits until it has ended; a virtual thread may. */
    public void await(Duration time) throws InterruptedException, TimeoutException {
        client.awaitAll(List.of(this), time);
    }

    /**
     * Its result, once it has ended.
     *
     * @throws JobFailedException when it failed or was cancelled
     * @throws JobGoneException when it is not kept any longer
     * @throws IllegalStateException when it has not ended
     */
    public JsonNode result() {
        return client.results(List.of(this)).getFirst().get();
    }

    /** Where it is; absent when it is gone. */
    public Optional<TreeState.State> state() {
        return client.state(id);
    }

    /**
     * Undoes a job: one that waits is cancelled, and the jobs are made that its plan left. A chain or a group is undone by one
     * job, with what the last plan left first. A repeat makes none, and gives the same ones.
     *
     * @return those jobs; none where no plan was made yet, and where there is nothing to undo
     * @throws JobGoneException when it is not kept any longer
     * @throws IllegalStateException while it runs
     * @throws IllegalArgumentException for a job within a chain or a group
     */
    public List<Handle> undo() {
        return client.undo(id);
    }

    /** Ends it with all below it; whether this call did so. */
    public boolean cancel() {
        return client.cancel(id);
    }
}
