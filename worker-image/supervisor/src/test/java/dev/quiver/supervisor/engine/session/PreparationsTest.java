package dev.quiver.supervisor.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.execution.RecordedTask;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskInvocation;
import dev.quiver.lifecycle.worker.WorkerPreparation;

class PreparationsTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private long clock = 10_000;
    private final Preparations preparations = new Preparations(() -> clock++, () -> "a log".getBytes());

    private record Task(Optional<RecordedTask> recorded) implements RunnableTask {

        static Task of(String run) {
            return new Task(Optional.of(new RecordedTask(run, 0, Recording.DEFAULT)));
        }

        @Override
        public String id() {
            return "x/0";
        }

        @Override
        public String name() {
            return "0";
        }

        @Override
        public int trial() {
            return 1;
        }

        @Override
        public int maxTrials() {
            return 1;
        }

        @Override
        public Optional<java.time.Duration> timeLimit() {
            return Optional.empty();
        }

        @Override
        public Optional<String> handler() {
            return Optional.empty();
        }

        @Override
        public TaskInvocation render(SlotFacts facts) {
            throw new IllegalStateException("not run in this test");
        }
    }

    @Test
    void aShortRunIsReportedAtItsEndAlone() {
        preparations.claimed("u", Task.of("u"), 0);
        preparations.runs(Task.of("u"));
        assertThat(preparations.due(SECOND - 1)).isEmpty();
        assertThat(preparations.nanosLeft(SECOND - 1)).isEqualTo(1);
        WorkerPreparation run = preparations.left("u").orElseThrow();
        assertThat(run.startedAt()).isEqualTo(10_000);
        assertThat(run.setupFinishedAt()).contains(10_001L);
        assertThat(run.finishedAt()).contains(10_002L);
        assertThat(run.log()).asString().isEqualTo("a log");
        assertThat(preparations.left("u")).isEmpty();
        assertThat(preparations.nanosLeft(0)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aRunThatGoesOnIsReportedAfterASecondAndOnce() {
        preparations.claimed("u", Task.of("u"), 0);
        preparations.runs(Task.of("u"));
        assertThat(preparations.due(SECOND))
                .singleElement()
                .satisfies(run -> assertThat(run.finishedAt()).isEmpty());
        assertThat(preparations.due(2 * SECOND)).isEmpty();
        assertThat(preparations.leaveAll())
                .singleElement()
                .satisfies(run -> assertThat(run.finishedAt()).isPresent());
    }

    @Test
    void aWorkerThatIsNotReadyIsNotReportedYet() {
        preparations.claimed("u", Task.of("u"), 0);
        assertThat(preparations.due(5 * SECOND)).isEmpty();
        preparations.runs(Task.of("u"));
        assertThat(preparations.due(5 * SECOND)).hasSize(1);
    }

    @Test
    void aTreeEndsASecondAfterTheWorkerHeldItsLastTask() {
        preparations.claimed("tasks:pool", Task.of("tree"), 0);
        preparations.claimed("tasks:pool", Task.of("tree"), 0);
        preparations.runs(Task.of("tree"));
        preparations.released(Task.of("tree"), 1);
        assertThat(preparations.due(SECOND))
                .singleElement()
                .satisfies(tree -> assertThat(tree.finishedAt()).isEmpty());
        preparations.released(Task.of("tree"), 2 * SECOND);
        preparations.claimed("chunks:tree.3", Task.of("tree"), 3 * SECOND - 1);
        assertThat(preparations.due(4 * SECOND)).as("it goes on with a chunk").isEmpty();
        preparations.released(Task.of("tree"), 4 * SECOND);
        assertThat(preparations.nanosLeft(4 * SECOND)).isEqualTo(SECOND);
        assertThat(preparations.due(5 * SECOND)).singleElement().satisfies(tree -> {
            assertThat(tree.run()).isEqualTo("tree");
            assertThat(tree.startedAt()).isEqualTo(10_000);
            assertThat(tree.setupFinishedAt()).contains(10_001L);
            assertThat(tree.finishedAt()).contains(10_003L);
        });
        assertThat(preparations.leaveAll()).isEmpty();
        assertThat(preparations.nanosLeft(0)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aShortTreeIsReportedOnce() {
        preparations.claimed("tasks:pool", Task.of("tree"), 0);
        preparations.runs(Task.of("tree"));
        preparations.released(Task.of("tree"), 1);
        assertThat(preparations.due(SECOND)).isEmpty();
        assertThat(preparations.due(SECOND + 1))
                .singleElement()
                .satisfies(tree -> assertThat(tree.finishedAt()).contains(10_002L));
    }

    @Test
    void ofThousandsOfTreesInASecondSomeAreReported() {
        for (int i = 0; i < 5_000; i++) {
            Task task = Task.of("tree-" + i);
            preparations.claimed("tasks:pool", task, i);
            preparations.runs(task);
            preparations.released(task, i);
        }
        assertThat(preparations.due(2 * SECOND)).hasSize(Preparations.TREES);
        for (int i = 0; i < 100; i++) {
            preparations.claimed("tasks:pool", Task.of("later-" + i), 3 * SECOND);
        }
        assertThat(preparations.leaveAll()).as("one for each second").hasSize(3);
    }

    @Test
    void tasksWithoutARunOfTheirOwnAreNotReported() {
        Task named = new Task(Optional.of(new RecordedTask("tasks:other", 9, Recording.DEFAULT, Optional.of("id"))));
        preparations.claimed("u", new Task(Optional.empty()), 0);
        preparations.claimed("tasks:other", named, 0);
        preparations.runs(named);
        preparations.released(named, 1);
        assertThat(preparations.due(SECOND)).isEmpty();
        assertThat(preparations.leaveAll()).isEmpty();
    }
}
