package dev.quiver.supervisor.engine.session;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

import dev.quiver.lifecycle.execution.RecordedTask;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.PackBody;
import dev.quiver.lifecycle.history.PackPlace;
import dev.quiver.lifecycle.history.Tails;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.TrialFacts;
import dev.quiver.supervisor.engine.slots.ClaimedTask;
import dev.quiver.supervisor.execution.JunitReport;
import dev.quiver.supervisor.execution.PrintedStream;
import dev.quiver.supervisor.execution.TrialResult;
import dev.quiver.supervisor.execution.TrialUse;

/** The facts of a trial for the record, read while its slot has them. Stateless. */
final class TrialRecords {

    private static final byte[] NO_TAIL = {};

    private TrialRecords() {}

    /**
     * The settlement with the facts of its trial, where its task is recorded.
     *
     * @param packs takes a result that is too large for a row, and all that a task printed
     */
    static Settlement recorded(
            Settlement settlement, ClaimedTask held, TrialResult ending, long now, ResultPacks packs) {
        Optional<RecordedTask> task = held.claim().task().recorded();
        if (task.isEmpty()) {
            return settlement;
        }
        Recording how = task.get().recording();
        Function<TrialRow.Result, Optional<PackPlace>> large =
                result -> packs.take(held.owner().session(), task.get().run(), result);
        boolean passes = settlement instanceof Settlement.Passed;
        Supplier<TrialRow.Streams> streams = () -> how.keepsStreams(passes)
                ? streams(
                        ending,
                        how,
                        stream -> packs.take(held.owner().session(), task.get().run(), stream, passes))
                : TrialRow.Streams.NONE;
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
                                how.detailsPasses() || ending.report().isPresent()
                                        ? Optional.of(passed(ending, how, packs, large, streams))
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
                                Optional.of(
                                        detail(ending, how, false, Optional.empty(), 0, Optional.empty(), streams))));
            case Settlement.Pending pending ->
                new Settlement.Pending(
                        pending.claim(),
                        pending.runTime(),
                        pending.failure(),
                        facts(
                                held,
                                now,
                                Optional.of(
                                        detail(ending, how, false, Optional.empty(), 0, Optional.empty(), streams))));
            case Settlement.Lost lost ->
                new Settlement.Lost(
                        lost.claim(),
                        lost.failure(),
                        facts(
                                held,
                                now,
                                Optional.of(
                                        detail(ending, how, false, Optional.empty(), 0, Optional.empty(), streams))));
            case Settlement.Returned _, Settlement.Moved _ -> settlement;
        };
    }

    private static TrialRow.Streams streams(
            TrialResult ending, Recording how, Function<PrintedStream, PackPlace> packs) {
        return new TrialRow.Streams(
                ending.use().allStdout().apply(how.streamKib()).map(packs),
                ending.use().allStderr().apply(how.streamKib()).map(packs));
    }

    /** The return of a task that ran and was called off, with its record where it is recorded. */
    static Settlement stopped(ClaimedTask held, long now) {
        return Settlement.Returned.brokenOff(
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
            TrialResult ending,
            Recording how,
            ResultPacks packs,
            Function<TrialRow.Result, Optional<PackPlace>> large,
            Supplier<TrialRow.Streams> streams) {
        long bytes =
                how.results() == Recording.Results.NONE ? 0 : ending.output().bytes();
        if (bytes <= HistoryBounds.RESULT_BYTES) {
            return detail(
                    ending,
                    how,
                    true,
                    bytes > 0 ? result(ending, how) : Optional.empty(),
                    0,
                    Optional.empty(),
                    streams);
        }
        if (!RecordedResults.mayBeWanted(how)) {
            return detail(ending, how, true, Optional.empty(), 0, Optional.empty(), streams);
        }
        Optional<PackPlace> place = bytes <= PackBody.MEMBER_BYTES && packs.hasRoom(bytes)
                ? result(ending, how).flatMap(large)
                : Optional.empty();
        return detail(ending, how, true, Optional.empty(), bytes, place, streams);
    }

    private static TrialFacts.Detail detail(
            TrialResult ending,
            Recording how,
            boolean passed,
            Optional<TrialRow.Result> result,
            long resultBytes,
            Optional<PackPlace> place,
            Supplier<TrialRow.Streams> streams) {
        TrialUse use = ending.use();
        boolean tails = how.recordsOutput(passed);
        boolean measured = use.measured() && (how.resources() || !passed);
        return new TrialFacts.Detail(
                measured ? Optional.of(new TrialRow.Resources(use.cpuMillis(), use.maxRssKib())) : Optional.empty(),
                use.outputBytes(),
                tails ? Tails.pack(use.stdout().get(), HistoryBounds.TAIL_BYTES) : NO_TAIL,
                tails ? Tails.pack(use.stderr().get(), HistoryBounds.TAIL_BYTES) : NO_TAIL,
                result,
                resultBytes,
                place,
                streams.get(),
                ending.report().map(JunitReport::counts),
                ending.report().map(JunitReport::cases).orElse(List.of()));
    }

    private static Optional<TrialRow.Result> result(TrialResult ending, Recording how) {
        try {
            return ending.output().read().flatMap(output -> RecordedResults.of(output, how));
        } catch (IllegalArgumentException senseless) {
            return Optional.empty(); // its settlement says so where somebody wants the result
        }
    }
}
