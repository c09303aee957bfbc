package dev.quiver.controller.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.store.StoreCalls;
import dev.quiver.controller.store.StoreWatch;
import dev.quiver.controller.store.WellServer;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskScheduleBuilder;
import dev.quiver.crds.v1alpha1.TaskSpec;
import dev.quiver.crds.v1alpha1.TaskSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskStatusBuilder;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.StoreUnreachableException;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeReportBuilder;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.schedule.ScheduleReport;

class TreeReaderTest {

    private static final Keyspace KEYSPACE = Keyspace.ofNamespace("a");
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final TreeLayout OWN = new TreeLayout.Own();
    private static final TaskSpec ONCE = TaskSpecBuilder.builder().build();
    private static final TaskSpec DAILY = TaskSpecBuilder.builder()
            .schedule(TaskScheduleBuilder.builder().cron("0 0 * * *").build())
            .build();

    private final StoreWatch store = new StoreWatch(new WellServer(), Clock.systemUTC(), _ -> {});
    private final StoreCalls calls = new StoreCalls(store, Clock.systemUTC(), _ -> {});
    private Optional<String> problem = Optional.empty();
    private Optional<ScheduleReport> schedule = Optional.empty();

    private TreeReader.Look<String> look(TaskSpec spec, TreeLayout layout) {
        Task task = new Task();
        task.setMetadata(new ObjectMetaBuilder().withName("t").withUid("uid").build());
        return new TreeReader(calls, _ -> problem, (_, _) -> schedule)
                .look(
                        task,
                        spec,
                        TaskStatusBuilder.builder().resubmissions(2).build(),
                        KEYSPACE,
                        layout,
                        tree -> Optional.of("found " + tree));
    }

    private static ObservedStore<String> answered(String found) {
        return new ObservedStore.Answered<>(Optional.ofNullable(found));
    }

    private static ScheduleReport.Run run(long number) {
        return new ScheduleReport.Run(
                number,
                "uid-" + number,
                NOW,
                Optional.empty(),
                Optional.empty(),
                TreeState.State.IDLE,
                false,
                "",
                false);
    }

    @Test
    void aTreeIsLookedForUnderTheNumberOfItsLosses() {
        store.look();
        assertThat(look(ONCE, OWN)).isEqualTo(new TreeReader.Look<>(answered("found uid-r2"), Optional.empty()));
        assertThat(look(ONCE, new TreeLayout.Foreign("p:", "pool", Optional.empty()))
                        .tree())
                .isEqualTo(answered("found uid-r2"));
    }

    @Test
    void theTreeOfAScheduleIsThatOfItsLatestRun() {
        store.look();
        assertThat(look(DAILY, OWN).tree()).as("Redis has no schedule").isEqualTo(answered(null));
        schedule = Optional.of(new ScheduleReport(
                NOW, Optional.empty(), Optional.empty(), Optional.empty(), 0, List.of(run(8), run(7))));
        assertThat(look(DAILY, OWN)).isEqualTo(new TreeReader.Look<>(answered("found uid-8"), schedule));
        assertThat(look(ONCE, OWN).schedule()).isEmpty();
    }

    @Test
    void nothingIsAskedWhereNothingMayBe() {
        store.look();
        assertThat(look(ONCE, new TreeLayout.Withheld("no prefix")).tree()).isEqualTo(answered(null));
        problem = Optional.of("too many keyspaces");
        assertThat(look(ONCE, OWN).tree())
                .isEqualTo(new ObservedStore.Away<>(StoreReason.Unsupported, "too many keyspaces"));
    }

    @Test
    void aRedisThatIsAwayHasNoTreeAndNoLoss() {
        assertThat(look(ONCE, OWN).tree()).isInstanceOf(ObservedStore.Away.class);
        assertThat(look(ONCE, new TreeLayout.Withheld("no prefix")).tree()).isInstanceOf(ObservedStore.Away.class);
        store.look();
        TreeReader cut = new TreeReader(calls, _ -> problem, (_, _) -> {
            throw new StoreUnreachableException("no answer", null);
        });
        Task task = new Task();
        task.setMetadata(new ObjectMetaBuilder().withUid("uid").build());
        assertThat(cut.look(task, DAILY, TaskStatusBuilder.builder().build(), KEYSPACE, OWN, Optional::of)
                        .tree())
                .isInstanceOf(ObservedStore.Away.class);
    }

    /** Has one result. */
    private static final class Measured implements Trees {

        @Override
        public Created create(TaskTree tree) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean change(String id, Change change) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean limit(String tree, Optional<Duration> deadline) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean drop(String tree, long nodes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<TreeReport> report(String tree, int most) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Trees.Measured measure(String tree, long most) {
            return new Trees.Measured(Optional.of(most), Optional.of("7"));
        }
    }

    private static Optional<Trees.Measured> result(TreeState.State root, boolean over, boolean finished) {
        TreeReport report = TreeReportBuilder.builder()
                .state(new TreeState(root, 1, 1, new TreeState.Counts(0, 0, 0, 0, 0, 1, 0), over, Optional.empty()))
                .startedAt(Optional.of(NOW))
                .storeTime(NOW)
                .nodes(List.of())
                .queued(List.of())
                .build();
        return TreeReader.with(new Measured(), "uid", report, finished, 100).result();
    }

    @Test
    void aResultIsReadOnceTheTreeEndedWell() {
        assertThat(result(TreeState.State.FINISHED, true, false))
                .contains(new Trees.Measured(Optional.of(100L), Optional.of("7")));
        assertThat(result(TreeState.State.FINISHED, false, false))
                .as("the node of finally runs")
                .isEmpty();
        assertThat(result(TreeState.State.FAILED, true, false)).isEmpty();
        assertThat(result(TreeState.State.FINISHED, true, true))
                .as("the status has it")
                .isEmpty();
    }
}
