package dev.quiver.lifecycle.task.chunks;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.RecordedTask;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.ordinals.CombineTree;
import dev.quiver.lifecycle.ordinals.OrdinalTasks;
import dev.quiver.lifecycle.redis.BinaryText;
import dev.quiver.lifecycle.task.keys.ChunkKeys;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.LastArgument;
import dev.quiver.lifecycle.task.model.Scratch;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.results.ChunkResults;
import dev.quiver.lifecycle.task.rows.StoredResult;
import dev.quiver.lifecycle.worker.BackedOff;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SettlementKind;
import dev.quiver.lifecycle.worker.SettlementRow;

/**
 * The chunks of one node and their combines.
 *
 * @param source their source
 * @param body what a chunk executes, with what all of them share
 * @param maxTrials of a chunk that may fail
 * @param combines their numbers
 * @param results reads what combines take
 */
public record ChunkTasks(String source, TaskBody body, int maxTrials, CombineTree combines, ChunkResults results)
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
    public Optional<Integer> perWorker() {
        return body.chunks().map(ChunkWork::perWorker).filter(most -> most > 0);
    }

    /** Without a file for its result. */
    @Override
    public RunnableTask task(long ordinal, int trial, Optional<String> payload) {
        return task(ordinal, trial, payload, Optional.empty());
    }

    @Override
    public RunnableTask task(long ordinal, int trial, Optional<String> payload, String fence) {
        return task(ordinal, trial, payload, scratch().map(directory -> directory.file(tree(), ordinal, fence)));
    }

    /** Within the run, chunks and combines of a node stand behind those of the nodes before it. */
    private Optional<RecordedTask> recorded(long ordinal) {
        return body.recording().map(how -> new RecordedTask(tree(), firstOf(node()) + ordinal, how));
    }

    /** The number of a node's first chunk within its run. */
    public static long firstOf(String node) {
        return (TaskKeys.ordinalOf(node) + 1) << HistoryBounds.CHUNK_BITS;
    }

    private String node() {
        return ChunkKeys.of(results.keyspace(), source).node();
    }

    private Optional<Scratch> scratch() {
        return body.chunks().flatMap(ChunkWork::scratch);
    }

    private String tree() {
        return TaskKeys.treeOf(node());
    }

    private RunnableTask task(long ordinal, int trial, Optional<String> payload, Optional<String> file) {
        if (!combines.isCombine(ordinal)) {
            return new ChunkTask(
                    source,
                    ordinal,
                    ChunkTask.CHUNK + ordinal,
                    trial,
                    maxTrials,
                    body,
                    file,
                    recorded(ordinal),
                    Optional.of(LastArgument.ofChunk(payload.orElse("null"))));
        }
        return new ChunkTask(
                source,
                ordinal,
                "combine-" + (ordinal - combines.count()),
                trial,
                body.chunks().map(ChunkWork::combineTrials).orElse(1),
                combine().orElse(body),
                file,
                recorded(ordinal),
                Optional.empty());
    }

    @Override
    public RunnableTask complete(RunnableTask task, long most) {
        ChunkTask combine = (ChunkTask) task;
        return combine.with(results.joined(combines, combines.children(combine.ordinal()), most));
    }

    /** Waits grow with all trials before, those that lost their worker included: a claim does not tell them apart. */
    @Override
    public Settlement sent(Settlement settlement) {
        ChunkTask task = (ChunkTask) settlement.claim().task();
        return BackedOff.of(settlement, task.body().backoff(), task.trial());
    }

    @Override
    public SettlementRow passed(Settlement.Passed passed) {
        return SettlementRow.of(
                SettlementKind.PASSED,
                passed.output()
                        .map(this::stored)
                        .or(() -> passed.result().map(StoredResult::text))
                        .orElse("J\nnull"));
    }

    /** An Arrow stream, or the place of one; a place of the user's own is a value like any other. */
    private String stored(ExecutionInput.Payload arrow) {
        if (!arrow.locator()) {
            return BinaryText.of(arrow.bytes());
        }
        String place = new String(arrow.bytes(), StandardCharsets.UTF_8);
        return scratch().filter(directory -> directory.has(tree(), place)).isPresent()
                ? new StoredResult.Reference(place).text()
                : TaskResult.of(arrow).map(StoredResult::text).orElseThrow();
    }
}
