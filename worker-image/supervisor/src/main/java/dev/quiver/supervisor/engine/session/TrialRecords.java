package dev.quiver.supervisor.engine.session;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

import dev.quiver.lifecycle.execution.RecordedTask;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.PackBody;
import dev.quiver.lifecycle.history.Tails;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.TrialFacts;
import dev.quiver.supervisor.engine.slots.ClaimedTask;
import dev.quiver.supervisor.execution.AttemptResult;
import dev.quiver.supervisor.execution.AttemptUse;

/** The facts of an attempt for the record, read while its slot has them. Stateless. */
final class TrialRecords {

    private static final byte[] NO_TAIL = {};

    private TrialRecords() {}

    /**
     * The settlement with the facts of its attempt, where its task is recorded.
     *
     * @param packs takes a result that is too large for a row
     */
    static Settlement recorded(
            Settlement settlement, ClaimedTask held, AttemptResult ending, long now, ResultPacks packs) {
        Optional<RecordedTask> task = held.claim().task().recorded();
        if (task.isEmpty()) {
            return settlement;
        }
        Recording how = task.get().recording();
        Function<TrialRow.Result, Optional<TrialRow.PackPlace>> large =
                result -> packs.take(held.owner().session(), task.get().run(), result);
        return switch (settlement) {
            case Settlement.Passed passed ->
                new Settlement.Passed(
                        passed.claim(),
                        passed.runTime(),
                        passed.result(),
                        passed.output(),
                        facts(
                                held,
                                now,
                                how.detailsPasses()
                                        ? Optional.of(passed(ending, how, packs, large))
                                        : Optional.empty()));
            case Settlement.Failed failed ->
                new Settlement.Failed(
                        failed.claim(),
                        failed.runTime(),
                        failed.failure(),
                        failed.retry(),
                        facts(
                                held,
                                now,
                                Optional.of(detail(ending, how, false, Optional.empty(), 0, Optional.empty()))));
            case Settlement.Lost lost ->
                new Settlement.Lost(
                        lost.claim(),
                        lost.failure(),
                        facts(
                                held,
                                now,
                                Optional.of(detail(ending, how, false, Optional.empty(), 0, Optional.empty()))));
            case Settlement.Returned _, Settlement.Moved _ -> settlement;
        };
    }

    /** The return of a task that ran and was called off, with its record where it is recorded. */
    static Settlement stopped(ClaimedTask held, long now) {
        return new Settlement.Returned(
                held.claim(),
                held.stopReason()
                        .filter(why -> held.claim().task().recorded().isPresent())
                        .map(why -> new Settlement.Stopped(
                                Duration.ofNanos(Math.max(0, now - held.sinceNanos())),
                                why.word(),
                                why.sentence(),
                                facts(held, now, Optional.empty()))));
    }

    private static TrialFacts facts(ClaimedTask held, long now, Optional<TrialFacts.Detail> detail) {
        return new TrialFacts(Math.max(0, held.slot()), now, detail);
    }

    /** A pass has a result: in its row, or in a pack where one takes it. It is read where somebody does. */
    private static TrialFacts.Detail passed(
            AttemptResult ending,
            Recording how,
            ResultPacks packs,
            Function<TrialRow.Result, Optional<TrialRow.PackPlace>> large) {
        long bytes =
                how.results() == Recording.Results.NONE ? 0 : ending.output().bytes();
        if (bytes <= HistoryBounds.RESULT_BYTES) {
            return detail(ending, how, true, bytes > 0 ? result(ending, how) : Optional.empty(), 0, Optional.empty());
        }
        if (!RecordedResults.mayBeWanted(how)) {
            return detail(ending, how, true, Optional.empty(), 0, Optional.empty());
        }
        Optional<TrialRow.PackPlace> place = bytes <= PackBody.MEMBER_BYTES && packs.hasRoom(bytes)
                ? result(ending, how).flatMap(large)
                : Optional.empty();
        return detail(ending, how, true, Optional.empty(), bytes, place);
    }

    private static TrialFacts.Detail detail(
            AttemptResult ending,
            Recording how,
            boolean passed,
            Optional<TrialRow.Result> result,
            long resultBytes,
            Optional<TrialRow.PackPlace> place) {
        AttemptUse use = ending.use();
        boolean tails = how.output() == Recording.Output.ALL || how.output() == Recording.Output.FAILED && !passed;
        boolean measured = use.measured() && (how.resources() || !passed);
        return new TrialFacts.Detail(
                measured ? Optional.of(new TrialRow.Resources(use.cpuMillis(), use.maxRssKib())) : Optional.empty(),
                use.outputBytes(),
                tails ? Tails.pack(use.stdout().get(), HistoryBounds.TAIL_BYTES) : NO_TAIL,
                tails ? Tails.pack(use.stderr().get(), HistoryBounds.TAIL_BYTES) : NO_TAIL,
                result,
                resultBytes,
                place);
    }

    private static Optional<TrialRow.Result> result(AttemptResult ending, Recording how) {
        try {
            return ending.output().read().flatMap(output -> RecordedResults.of(output, how));
        } catch (IllegalArgumentException senseless) {
            return Optional.empty(); // its settlement says so where somebody wants the result
        }
    }
}
