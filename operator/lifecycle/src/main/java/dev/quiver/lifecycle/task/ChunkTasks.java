package dev.quiver.lifecycle.task;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.ordinals.FoldTree;
import dev.quiver.lifecycle.ordinals.OrdinalTasks;
import dev.quiver.lifecycle.redis.BinaryText;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SettlementRows;

/**
 * The chunks of one node and their folds.
 *
 * @param source their source
 * @param body what a chunk executes, with what all of them share
 * @param attempts of a chunk that may fail
 * @param folds their numbers
 * @param results reads what folds take
 */
record ChunkTasks(String source, TaskBody body, int attempts, FoldTree folds, ChunkResults results)
        implements OrdinalTasks {

    private Optional<TaskBody> combine() {
        return body.chunks().flatMap(ChunkWork::combine);
    }

    @Override
    public List<String> handlers() {
        return Stream.concat(Stream.of(body), combine().stream())
                .flatMap(document -> document.handler().stream())
                .distinct()
                .toList();
    }

    @Override
    public Optional<Integer> batch() {
        return Optional.empty();
    }

    @Override
    public RunnableTask task(long ordinal, int trial, Optional<String> payload) {
        if (!folds.isFold(ordinal)) {
            return new ChunkTask(
                    source,
                    ordinal,
                    "chunk-" + ordinal,
                    trial,
                    attempts,
                    body,
                    Optional.of(LastArgument.ofChunk(payload.orElse("null"))));
        }
        return new ChunkTask(
                source,
                ordinal,
                "fold-" + (ordinal - folds.count()),
                trial,
                body.chunks().map(ChunkWork::combineAttempts).orElse(1),
                combine().orElse(body),
                Optional.empty());
    }

    @Override
    public RunnableTask complete(RunnableTask task, long most) {
        ChunkTask fold = (ChunkTask) task;
        return fold.with(results.joined(folds, folds.children(fold.ordinal()), most));
    }

    /** Waits grow with all attempts before, those that lost their worker included: a claim does not tell them apart. */
    @Override
    public Settlement sent(Settlement settlement) {
        ChunkTask task = (ChunkTask) settlement.claim().task();
        return TaskStep.backedOff(settlement, task.body().backoff(), task.trial());
    }

    @Override
    public SettlementRows.Passed passed(Settlement.Passed passed) {
        return new SettlementRows.Passed(
                "p",
                passed.output()
                        .map(arrow -> BinaryText.of(arrow.bytes()))
                        .or(() -> passed.result().map(StoredResult::text))
                        .orElse("J\nnull"));
    }
}
