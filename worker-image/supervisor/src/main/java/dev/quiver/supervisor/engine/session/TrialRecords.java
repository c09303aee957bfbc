package dev.quiver.supervisor.engine.session;

import java.time.Duration;
import java.util.Optional;

import dev.quiver.lifecycle.execution.RecordedTask;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.HistoryBounds;
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

    /** The settlement with the facts of its attempt, where its task is recorded. */
    static Settlement recorded(Settlement settlement, ClaimedTask held, AttemptResult ending, long now) {
        Optional<RecordedTask> task = held.claim().task().recorded();
        if (task.isEmpty()) {
            return settlement;
        }
        Recording how = task.get().recording();
        return switch (settlement) {
            case Settlement.Passed passed ->
                new Settlement.Passed(
                        passed.claim(),
                        passed.runTime(),
                        passed.result(),
                        passed.output(),
                        facts(held, now, how.detailsPasses() ? detail(ending, how, true) : Optional.empty()));
            case Settlement.Failed failed ->
                new Settlement.Failed(
                        failed.claim(),
                        failed.runTime(),
                        failed.failure(),
                        failed.retry(),
                        facts(held, now, detail(ending, how, false)));
            case Settlement.Lost lost ->
                new Settlement.Lost(lost.claim(), lost.failure(), facts(held, now, detail(ending, how, false)));
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

    private static Optional<TrialFacts.Detail> detail(AttemptResult ending, Recording how, boolean passed) {
        AttemptUse use = ending.use();
        boolean tails = how.output() == Recording.Output.ALL || how.output() == Recording.Output.FAILED && !passed;
        boolean measured = use.measured() && (how.resources() || !passed);
        long result = passed && how.results() != Recording.Results.NONE
                ? ending.output().bytes()
                : 0;
        boolean fits = result <= HistoryBounds.RESULT_BYTES;
        return Optional.of(new TrialFacts.Detail(
                measured ? Optional.of(new TrialRow.Resources(use.cpuMillis(), use.maxRssKib())) : Optional.empty(),
                use.outputBytes(),
                tails ? Tails.pack(use.stdout().get(), HistoryBounds.TAIL_BYTES) : NO_TAIL,
                tails ? Tails.pack(use.stderr().get(), HistoryBounds.TAIL_BYTES) : NO_TAIL,
                result > 0 && fits ? result(ending, how) : Optional.empty(),
                fits || !RecordedResults.mayBeWanted(how) ? 0 : result));
    }

    private static Optional<TrialRow.Result> result(AttemptResult ending, Recording how) {
        try {
            return ending.output().read().flatMap(output -> RecordedResults.of(output, how));
        } catch (IllegalArgumentException senseless) {
            return Optional.empty(); // its settlement says so where somebody wants the result
        }
    }
}
