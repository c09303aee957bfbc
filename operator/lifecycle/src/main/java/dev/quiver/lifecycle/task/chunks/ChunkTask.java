package dev.quiver.lifecycle.task.chunks;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

import dev.quiver.lifecycle.execution.RecordedTask;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskInvocation;
import dev.quiver.lifecycle.task.model.LastArgument;
import dev.quiver.lifecycle.task.model.Scratch;
import dev.quiver.lifecycle.task.model.TaskBody;

/**
 * One trial of a chunk, or of a combine.
 *
 * @param source that it belongs to
 * @param ordinal its number there
 * @param name for people
 * @param trial this trial's number, from 1
 * @param maxTrials failed trials that end it
 * @param body what it executes
 * @param file takes its result where that is too large for Redis; absent: such a result is a failure
 * @param recorded where its trials are recorded; absent where they are not
 * @param input its last argument: a chunk, or the results that a combine takes; absent while these are not read
 */
record ChunkTask(
        String source,
        long ordinal,
        String name,
        int trial,
        int maxTrials,
        TaskBody body,
        Optional<String> file,
        Optional<RecordedTask> recorded,
        Optional<LastArgument> input)
        implements RunnableTask {

    /** How the names of chunks begin; those of combines do not. */
    static final String CHUNK = "chunk-";

    /** A variable with the number of a chunk, or of a combine among the combines. */
    private static final String INDEX = "QUIVER_INDEX";

    /** The same with its input. */
    ChunkTask with(LastArgument read) {
        return new ChunkTask(source, ordinal, name, trial, maxTrials, body, file, recorded, Optional.of(read));
    }

    @Override
    public String id() {
        return RunnableTask.id(source, Long.toString(ordinal));
    }

    @Override
    public Optional<Duration> timeLimit() {
        return body.timeLimit();
    }

    @Override
    public Optional<String> handler() {
        return body.handler();
    }

    @Override
    public boolean wantsResult() {
        return true;
    }

    @Override
    public boolean keepsArrow() {
        return true;
    }

    @Override
    public boolean isReady() {
        return input.isPresent();
    }

    @Override
    public long inputBytes() {
        return input.map(LastArgument::bytes).orElse(0L);
    }

    @Override
    public ChunkTask dispatched() {
        return new ChunkTask(source, ordinal, name, trial, maxTrials, body, file, recorded, Optional.empty());
    }

    @Override
    public TaskInvocation render(SlotFacts facts) {
        if (!isReady()) {
            throw new IllegalStateException("the results that " + name + " combines were not read");
        }
        String number = name.substring(name.lastIndexOf('-') + 1);
        Map<String, String> own = new LinkedHashMap<>(Map.of(INDEX, number));
        file.ifPresent(path -> own.put(Scratch.VARIABLE, path));
        Optional<String> chunk = name.startsWith(CHUNK) && input.get() instanceof LastArgument.Json(String json)
                ? Optional.of(json).filter(ChunkTask::isWord)
                : Optional.empty();
        return body.invocation(name, body.given(Map.of(), input), trial, own, chunk, facts);
    }

    /** Whether a chunk is a text or a number. No program wants another value as a word of its command line. */
    private static boolean isWord(String json) {
        char first = json.strip().charAt(0);
        return first == '"' || first == '-' || first >= '0' && first <= '9';
    }
}
