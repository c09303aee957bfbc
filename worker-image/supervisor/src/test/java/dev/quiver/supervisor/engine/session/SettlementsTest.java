package dev.quiver.supervisor.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.arrow.ArrowBytes;
import dev.quiver.lifecycle.execution.Effects;
import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.NamedTask;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskInvocation;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.supervisor.execution.TrialOutput;
import dev.quiver.supervisor.execution.TrialResult;

class SettlementsTest {

    private static final Claim CLAIM = new Claim("uid", "3", 1, Place.slot(0, 1), new NamedTask("uid/3", "spec/a", 2));

    @Test
    void passesWithItsRunTime() {
        assertThat(Settlements.of(CLAIM, TrialResult.passed(Duration.ofSeconds(2))))
                .isEqualTo(new Settlement.Passed(CLAIM, Duration.ofSeconds(2)));
    }

    @Test
    void samplesAFailureWithTheTasksNameAndTrial() {
        TrialResult ending =
                new TrialResult(TrialResult.Kind.FAILED, 3, 0, "NonZeroExit", "boom", Duration.ofMillis(9));
        Settlement.Failed failed = (Settlement.Failed) Settlements.of(CLAIM, ending);
        assertThat(failed.failure().task()).isEqualTo("spec/a");
        assertThat(failed.failure().trial()).isEqualTo(2);
        assertThat(failed.failure().exitCode()).contains(3);
        assertThat(failed.failure().signal()).isEmpty();
        assertThat(failed.failure().message()).isEqualTo("boom");
    }

    @Test
    void passesOnWhenAFailureMayBeTriedAgain() {
        for (Retry retry : List.of(Retry.AT_ONCE, Retry.NEVER, new Retry.After(Duration.ofSeconds(3)))) {
            TrialResult ending = new TrialResult(
                    TrialResult.Kind.FAILED, -1, 0, "Exception", "ValueError: no", Duration.ZERO, retry);
            assertThat(((Settlement.Failed) Settlements.of(CLAIM, ending)).retry())
                    .isEqualTo(retry);
        }
        TrialResult impossible = TrialResult.notStarted("InputTooLarge", "5 bytes, slots.inputSize is 4");
        assertThat(((Settlement.Failed) Settlements.of(CLAIM, impossible)).retry())
                .isEqualTo(Retry.NEVER);
    }

    @Test
    void aTaskThatCameUponWhatIsMissingGoesBackWhereItsKindKnowsResources() {
        TrialResult ending = new TrialResult(
                TrialResult.Kind.FAILED,
                -1,
                0,
                "Blocked",
                "tenant!acme",
                Duration.ofSeconds(1),
                new Retry.After(Duration.ofSeconds(30)));
        RunnableTask task = new NamedTask("tasks:p/t", "t", 1, false, true);
        Claim claim = new Claim("tasks:p", "t", 1, Place.slot(0, 1), task);
        assertThat(Settlements.of(claim, ending))
                .isEqualTo(new Settlement.Returned(
                        claim, Optional.empty(), Duration.ofSeconds(30), Optional.of("tenant!acme")));
        assertThat(((Settlement.Failed) Settlements.of(CLAIM, ending)).retry())
                .isEqualTo(new Retry.After(Duration.ofSeconds(30)));
    }

    @Test
    void aTaskWhoseExecutorDiedWasLostAndDidNotFail() {
        Settlement.Lost lost = (Settlement.Lost) Settlements.gone(CLAIM, true, "its executor died");
        assertThat(lost.failure().reason()).isEqualTo("WorkerLost");
        assertThat(lost.failure().task()).isEqualTo("spec/a");
        assertThat(lost.failure().message()).isEqualTo("its executor died");
        TrialResult runner = new TrialResult(TrialResult.Kind.LOST, -1, 0, "RunnerDied", "", Duration.ZERO);
        assertThat(Settlements.of(CLAIM, runner)).isInstanceOf(Settlement.Lost.class);
    }

    @Test
    void usesNoTrialForWhatWasCutOffOrNeverStarted() {
        TrialResult cut = new TrialResult(TrialResult.Kind.CUT_OFF, -1, 15, "Drained", "", Duration.ZERO);
        assertThat(Settlements.of(CLAIM, cut)).isEqualTo(new Settlement.Returned(CLAIM));
        TrialResult ran = new TrialResult(TrialResult.Kind.CUT_OFF, -1, 15, "Drained", "", Duration.ofMillis(1));
        assertThat(Settlements.of(CLAIM, ran)).isEqualTo(Settlement.Returned.brokenOff(CLAIM, Optional.empty()));
        assertThat(Settlements.gone(CLAIM, false, "")).isEqualTo(new Settlement.Returned(CLAIM));
    }

    private static Settlement settled(long bytes, Supplier<Optional<ExecutionInput.Payload>> output) {
        Claim wanting = new Claim("uid", "4", 1, Place.slot(0, 1), new NamedTask("uid/4", "spec/b", 1, true));
        return Settlements.of(wanting, TrialResult.passed(Duration.ZERO, new TrialOutput(bytes, output)));
    }

    private static Optional<ExecutionInput.Payload> json(String text) {
        return Optional.of(
                new ExecutionInput.Payload(text.getBytes(StandardCharsets.UTF_8), ExecutionInput.Format.JSON, false));
    }

    @Test
    void readsTheResultOfATaskThatWantsIt() {
        assertThat(settled(1, () -> json("7")))
                .isInstanceOfSatisfying(
                        Settlement.Passed.class,
                        passed -> assertThat(passed.result()).contains(TaskResult.of("7")));
        assertThat(settled(0, () -> Optional.of(ExecutionInput.Payload.NONE)))
                .isInstanceOfSatisfying(
                        Settlement.Passed.class,
                        passed -> assertThat(passed.result()).isEmpty());
    }

    @Test
    void readsNoResultThatNobodyWants() {
        TrialOutput forbidden = new TrialOutput(1, () -> {
            throw new AssertionError("read");
        });
        assertThat(Settlements.of(CLAIM, TrialResult.passed(Duration.ZERO, forbidden)))
                .isEqualTo(new Settlement.Passed(CLAIM, Duration.ZERO));
    }

    private static Settlement bringing(RunnableTask task, long bytes, String text) {
        Optional<ExecutionInput.Payload> output = Optional.of(new ExecutionInput.Payload(
                text.getBytes(StandardCharsets.UTF_8), ExecutionInput.Format.EFFECTS, false));
        TrialOutput announced = new TrialOutput(bytes, () -> output, (_, _) -> Optional.empty(), true);
        return Settlements.of(
                new Claim("tasks:p", "t", 1, Place.slot(0, 1), task), TrialResult.passed(Duration.ZERO, announced));
    }

    @Test
    void handsEffectsOverToTheSourceThatTakesThem() {
        String text = "{\"result\":1,\"tasks\":[]}";
        assertThat(bringing(new NamedTask("tasks:p/t", "t", 1, true, true), text.length(), text))
                .isInstanceOfSatisfying(Settlement.Passed.class, passed -> {
                    assertThat(passed.result()).isEmpty();
                    assertThat(passed.output().orElseThrow().format()).isEqualTo(ExecutionInput.Format.EFFECTS);
                });
    }

    @Test
    void failsATaskThatBringsWhatItsKindCannotTakeAndDropsNothingSilently() {
        for (boolean wantsResult : new boolean[] {true, false}) {
            assertThat(bringing(new NamedTask("uid/4", "spec/b", 1, wantsResult), 2, "{}"))
                    .isInstanceOfSatisfying(Settlement.Failed.class, failed -> {
                        assertThat(failed.failure().reason()).isEqualTo("ResultInvalid");
                        assertThat(failed.failure().message()).contains("Done or a Plan");
                        assertThat(failed.retry()).isEqualTo(Retry.NEVER);
                    });
        }
        assertThat(bringing(new NamedTask("tasks:p/t", "t", 1, true, true), Effects.MAX_BYTES + 1, ""))
                .isInstanceOfSatisfying(
                        Settlement.Failed.class,
                        failed -> assertThat(failed.failure().reason()).isEqualTo("ResultTooLarge"));
    }

    @Test
    void refusesResultsThatNobodyCanKeep() {
        assertThat(settled(TaskResult.MAX_BYTES + 1, () -> {
                    throw new AssertionError("read");
                }))
                .isInstanceOfSatisfying(Settlement.Failed.class, failed -> {
                    assertThat(failed.failure().reason()).isEqualTo("ResultTooLarge");
                    assertThat(failed.failure().message()).contains("262145", "262144");
                    assertThat(failed.retry()).isEqualTo(Retry.NEVER);
                });
        assertThat(settled(1, () -> json("{"))).isInstanceOfSatisfying(Settlement.Failed.class, failed -> {
            assertThat(failed.failure().reason()).isEqualTo("ResultInvalid");
            assertThat(failed.retry()).isEqualTo(Retry.AT_ONCE);
        });
    }

    @Test
    void resultThatLeftWithItsSlotWasLostWithItsTask() {
        assertThat(settled(1, Optional::empty)).isInstanceOf(Settlement.Lost.class);
    }

    /** A task that keeps Arrow as it is. */
    private record ChunkTask(String id, String name, int trial, int maxTrials) implements RunnableTask {
        @Override
        public Optional<Duration> timeLimit() {
            return Optional.empty();
        }

        @Override
        public Optional<String> handler() {
            return Optional.of("h");
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
        public TaskInvocation render(SlotFacts facts) {
            throw new UnsupportedOperationException();
        }
    }

    private static Settlement kept(long size, ExecutionInput.Payload output) {
        Claim chunk = new Claim("uid", "4", 1, Place.slot(0, 1), new ChunkTask("uid/4", "chunk-4", 1, 3));
        return Settlements.of(
                chunk, TrialResult.passed(Duration.ZERO, new TrialOutput(size, () -> Optional.of(output))));
    }

    @Test
    void keepsTheArrowOfAChunkAsItIsWhateverItsFormatIsSaidToBe() {
        byte[] stream = ArrowBytes.numbers("n", new long[] {1});
        ExecutionInput.Payload wanted = new ExecutionInput.Payload(stream, ExecutionInput.Format.ARROW, false);
        for (ExecutionInput.Format said : List.of(ExecutionInput.Format.ARROW, ExecutionInput.Format.BYTES)) {
            assertThat(kept(stream.length, new ExecutionInput.Payload(stream, said, false)))
                    .isInstanceOfSatisfying(Settlement.Passed.class, passed -> {
                        assertThat(passed.output()).contains(wanted);
                        assertThat(passed.result()).isEmpty();
                    });
        }
        byte[] place = "/scratch/job/4-s-1.arrow".getBytes(StandardCharsets.UTF_8);
        ExecutionInput.Payload file = new ExecutionInput.Payload(place, ExecutionInput.Format.ARROW, true);
        assertThat(kept(place.length, file))
                .isInstanceOfSatisfying(
                        Settlement.Passed.class,
                        passed -> assertThat(passed.output()).contains(file));
        assertThat(kept(1, json("7").orElseThrow()))
                .isInstanceOfSatisfying(
                        Settlement.Passed.class,
                        passed -> assertThat(passed.result()).contains(TaskResult.of("7")));
    }

    @Test
    void refusesTheArrowOfAChunkThatIsNoneOrTooMuchAndNamesTheWaysOut() {
        ExecutionInput.Payload broken =
                new ExecutionInput.Payload(new byte[] {-1, -1, -1, -1, 8, 0, 0, 0}, ExecutionInput.Format.ARROW, false);
        assertThat(kept(8, broken)).isInstanceOfSatisfying(Settlement.Failed.class, failed -> {
            assertThat(failed.failure().reason()).isEqualTo("ResultInvalid");
            assertThat(failed.failure().message()).contains("not an Arrow stream");
        });
        assertThat(kept(TaskResult.MAX_BYTES + 1, broken)).isInstanceOfSatisfying(Settlement.Failed.class, failed -> {
            assertThat(failed.failure().reason()).isEqualTo("ResultTooLarge");
            assertThat(failed.failure().message()).contains("262145", "262144", "combine", "scratch", "return less");
        });
    }

    /** A task whose output is cut into further ones. */
    private record BringingTask(String id, String name, int trial, int maxTrials) implements RunnableTask {

        @Override
        public Optional<Duration> timeLimit() {
            return Optional.empty();
        }

        @Override
        public Optional<String> handler() {
            return Optional.empty();
        }

        @Override
        public boolean wantsResult() {
            return true;
        }

        @Override
        public boolean brings() {
            return true;
        }

        @Override
        public TaskInvocation render(SlotFacts facts) {
            throw new UnsupportedOperationException("nothing runs " + name);
        }
    }

    private static Settlement brought(long bytes, Supplier<Optional<ExecutionInput.Payload>> output) {
        Claim map = new Claim("uid", "5", 1, Place.slot(0, 1), new BringingTask("uid/5", "map", 1, 3));
        return Settlements.of(map, TrialResult.passed(Duration.ZERO, new TrialOutput(bytes, output)));
    }

    @Test
    void passesOnTheOutputOfATaskThatBringsOthersUnlessItIsTooLarge() {
        int most = 4 << 20;
        assertThat(brought(most, () -> json("[1]")))
                .isInstanceOfSatisfying(
                        Settlement.Passed.class,
                        passed -> assertThat(passed.output()).isEqualTo(json("[1]")));
        assertThat(brought(most + 1, () -> {
                    throw new AssertionError("read");
                }))
                .isInstanceOfSatisfying(Settlement.Failed.class, failed -> {
                    assertThat(failed.failure().reason()).isEqualTo("ResultTooLarge");
                    assertThat(failed.failure().message()).contains("4194305", "4194304");
                    assertThat(failed.retry()).isEqualTo(Retry.NEVER);
                });
        assertThat(brought(1, Optional::empty)).isInstanceOf(Settlement.Lost.class);
    }
}
