package dev.quiver.lifecycle.task.chunks;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.Chunks;
import dev.quiver.lifecycle.task.work.TaskLeaf;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.SessionCalls;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.TrialFailure;

/**
 * A step with tasks that bring chunks. The chunks come first, under the fence of their task. Then the step settles the
 * task with their number, or with the state of a task that brings them in pages. Chunks that are senseless make their
 * task a failure. So what is settled in the end may need several steps, each within the bounds of one; the last of them
 * claims. It blocks. A process that dies in between leaves chunks that the next trial replaces. If Redis has no
 * memory for them, the feed decides on the settlement of the task.
 */
public final class BringingStep implements StepCall {

    /** Where the chunks of a claim's task go. */
    public interface Feed {

        /**
         * Brings a page, and nothing once the task is not the claim's any more.
         *
         * @throws IllegalArgumentException for a fault of the chunks
         */
        void bring(Claim claim, ChunkPage page);

        /** The settlement of the task whose page Redis has no memory for. */
        Settlement refused(Settlement.Passed passed, ChunkPage page);
    }

    private final SessionCalls session;
    private final String source;
    private final StepRequest request;
    private final Feed feed;
    private final Function<StepRequest, StepCall> step;
    private List<Settlement> left;
    private final List<Verdict> verdicts = new ArrayList<>();
    private final List<Runnable> rests = new ArrayList<>();
    private int settling;
    private Optional<StepCall> current = Optional.empty();

    /**
     * A step of this request.
     *
     * @param feed brings the chunks
     * @param step makes the step that settles, once all chunks are there
     */
    public BringingStep(
            SessionCalls session, String source, StepRequest request, Feed feed, Function<StepRequest, StepCall> step) {
        this.session = session;
        this.source = source;
        this.request = request;
        this.feed = feed;
        this.step = step;
    }

    /** Whether a step of this request has to bring chunks. */
    public static boolean isNeeded(StepRequest request) {
        return request.settlements().stream()
                .anyMatch(settlement -> settlement instanceof Settlement.Passed passed
                        && brought(passed).isPresent());
    }

    /** The chunks of a task; tasks that effects bring go with their settlement. */
    private static Optional<ExecutionInput.Payload> brought(Settlement.Passed passed) {
        return passed.output().filter(output -> output.format() != ExecutionInput.Format.EFFECTS);
    }

    @Override
    public String uid() {
        return source;
    }

    @Override
    public Outcome run() {
        if (left == null) {
            left = request.settlements().stream().map(this::bring).toList();
        }
        while (true) {
            if (current.isEmpty()) {
                settling = fitting(left);
                boolean last = settling == left.size();
                current = Optional.of(step.apply(new StepRequest(
                        left.subList(0, settling), last ? request.places() : List.of(), request.served())));
            }
            Outcome outcome = current.get().run();
            if (!(outcome instanceof Outcome.Done done)) {
                session.end(this);
                return outcome;
            }
            if (settling == left.size()) { // a repeat asks this last step again
                session.end(this);
                return whole(done);
            }
            left = left.subList(settling, left.size());
            verdicts.addAll(done.verdicts());
            done.rest().ifPresent(rests::add);
            current = Optional.empty();
        }
    }

    /** How many of the first settlements one step takes. */
    private static int fitting(List<Settlement> settlements) {
        int failures = 0;
        long bytes = 0;
        int fit = 0;
        for (Settlement settlement : settlements) {
            failures += StepCall.hasFailure(settlement) ? 1 : 0;
            bytes += StepCall.resultBytes(settlement);
            if (failures > MAX_FAILURES || fit > 0 && bytes > MAX_RESULT_BYTES) {
                break;
            }
            fit++;
        }
        return fit;
    }

    /** The answer to the last step with what those before it settled. */
    private Outcome whole(Outcome.Done last) {
        List<Verdict> all = new ArrayList<>(verdicts);
        all.addAll(last.verdicts());
        List<Runnable> together = new ArrayList<>(rests);
        last.rest().ifPresent(together::add);
        return new Outcome.Done(
                all,
                last.claims(),
                last.status(),
                last.claimable(),
                last.member(),
                last.others(),
                last.outranked(),
                together.isEmpty() ? Optional.empty() : Optional.of(() -> together.forEach(Runnable::run)));
    }

    private Settlement bring(Settlement settlement) {
        if (!(settlement instanceof Settlement.Passed passed) || brought(passed).isEmpty()) {
            return settlement;
        }
        Claim claim = passed.claim();
        String result;
        boolean paged = claim.task() instanceof TaskLeaf leaf && leaf.iterator();
        ChunkPage page;
        try {
            page = paged ? page((TaskLeaf) claim.task(), passed) : ChunkPage.all(chunks(claim, passed));
        } catch (IllegalArgumentException senseless) {
            return invalid(passed, senseless);
        }
        try {
            if (!page.isEmpty()) {
                feed.bring(claim, page);
            }
            result = paged ? page.answer() : Integer.toString(page.end());
        } catch (IllegalArgumentException senseless) {
            return invalid(passed, senseless);
        } catch (StoreRefusedException refused) {
            if (refused.kind() != StoreRefusedException.Kind.OUT_OF_MEMORY) {
                throw refused;
            }
            return feed.refused(passed, page);
        }
        return new Settlement.Passed(
                claim, passed.runTime(), Optional.of(TaskResult.of(result)), Optional.empty(), passed.facts());
    }

    private static Settlement invalid(Settlement.Passed passed, IllegalArgumentException senseless) {
        return failed(passed, "ResultInvalid", senseless.getMessage(), Retry.NEVER);
    }

    /** A task that passed, and whose chunks or effects nobody can have. */
    public static Settlement failed(Settlement.Passed passed, String reason, String message, Retry retry) {
        Claim claim = passed.claim();
        TrialFailure failure = TrialFailure.of(
                claim.task().name(), claim.trial(), Optional.empty(), Optional.empty(), reason, message);
        return new Settlement.Failed(claim, passed.runTime(), failure, retry, passed.facts());
    }

    private static ChunkPage page(TaskLeaf leaf, Settlement.Passed passed) {
        ChunkPage page = ChunkPage.of(
                passed.output().orElseThrow(), leaf.created(), leaf.handler().isEmpty());
        Chunks.checked(page.chunks(), page.base(), leaf.mostChunks());
        return page;
    }

    /** A function returns an array, a command writes a chunk a line. */
    private static List<String> chunks(Claim claim, Settlement.Passed passed) {
        int most = claim.task() instanceof TaskLeaf leaf ? leaf.mostChunks() : ChunkWork.MOST_CHUNKS;
        return Chunks.checked(
                Chunks.of(passed.output().orElseThrow(), claim.task().handler().isEmpty(), most), most);
    }
}
