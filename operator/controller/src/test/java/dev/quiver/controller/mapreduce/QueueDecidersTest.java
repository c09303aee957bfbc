package dev.quiver.controller.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.databind.node.IntNode;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.run.HandlerCondition;
import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.run.Pace;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.tree.TreeLayout;
import dev.quiver.controller.tree.TreePlan;
import dev.quiver.controller.tree.TreeView;
import dev.quiver.crds.v1alpha1.ChunkFailurePolicy;
import dev.quiver.crds.v1alpha1.GrantedPrefix;
import dev.quiver.crds.v1alpha1.GrantedType;
import dev.quiver.crds.v1alpha1.MapReduceChunks;
import dev.quiver.crds.v1alpha1.MapReduceJob;
import dev.quiver.crds.v1alpha1.MapReduceJobReason;
import dev.quiver.crds.v1alpha1.MapReduceJobSpecBuilder;
import dev.quiver.crds.v1alpha1.MapReduceJobState;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.crds.v1alpha1.MapReduceJobStatusBuilder;
import dev.quiver.crds.v1alpha1.MapReduceMap;
import dev.quiver.crds.v1alpha1.MapReducePart;
import dev.quiver.crds.v1alpha1.MapReduceWire;
import dev.quiver.crds.v1alpha1.PrefixWire;
import dev.quiver.crds.v1alpha1.StoreLossPolicy;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** Decisions about jobs in the layout of a queue. */
class QueueDecidersTest {

    private static final String PREFIX = "queue:";
    private static final String UID = "1f0e5b1c-7f4a-4f8e-9d3b-0c6a7e1d2f3a";
    private static final GrantedPrefixes GRANTED = new GrantedPrefixes(Map.of("a", PREFIX), false);
    private static final GrantedPrefixes NOTHING = new GrantedPrefixes(Map.of(), false);
    private static final MapReduceJobStatus NEW =
            MapReduceJobStatusBuilder.builder().build();
    private static final MapReduceJobStatus ACCEPTED = MapReduceJobStatusBuilder.builder()
            .state(MapReduceJobState.PENDING)
            .grantedPrefix(PREFIX)
            .workHash("x")
            .build();

    private static MapReduceJobSpecBuilder spec() {
        return MapReduceJobSpecBuilder.builder()
                .workerPoolRef(new WorkerPoolRef("sums"))
                .wire(MapReduceWire.Queue)
                .failurePolicy(ChunkFailurePolicy.SkipChunk)
                .map(MapReduceMap.ofHandler("sum.map"))
                .process(MapReducePart.ofHandler("sum.process"))
                .reduce(MapReducePart.ofHandler("sum.reduce"));
    }

    private static WorkerPool pool(GrantedPrefix prefix) {
        WorkerPool pool = new WorkerPool();
        pool.setMetadata(
                new ObjectMetaBuilder().withName("sums").withNamespace("a").build());
        pool.setSpec(WorkerPoolSpecBuilder.builder()
                .replicas(1)
                .grantedPrefix(prefix)
                .build());
        return pool;
    }

    private static JobView view(MapReduceJobSpecBuilder spec, MapReduceJobStatus before, GrantedPrefixes prefixes) {
        return view(spec, before, prefixes, new GrantedPrefix(PREFIX, List.of(), PrefixWire.Queue));
    }

    /** The view of a job that Redis does not have. */
    private static JobView view(
            MapReduceJobSpecBuilder spec, MapReduceJobStatus before, GrantedPrefixes prefixes, GrantedPrefix ofPool) {
        MapReduceJob job = new MapReduceJob();
        job.setMetadata(new ObjectMetaBuilder()
                .withName("j")
                .withNamespace("a")
                .withUid(UID)
                .withGeneration(1L)
                .build());
        job.setSpec(spec.build());
        return JobViewBuilder.builder()
                .job(job)
                .before(before)
                .keyspace(Keyspace.ofNamespace("a"))
                .store(new ObservedStore.Answered<>(Optional.empty()))
                .schedule(Optional.empty())
                .pools(TreeView.pools(
                        JobView.poolNames(job.getSpec()),
                        name -> Optional.of(pool(ofPool)).filter(_ -> name.equals("sums"))))
                .input(new JobInput.Read(Optional.of(IntNode.valueOf(7))))
                .adjusted(true)
                .pace(Pace.UNSEEN)
                .layout(JobView.layout(job.getSpec(), before, "a", prefixes))
                .prefixes(prefixes)
                .now(Instant.parse("2026-01-01T00:00:00Z"))
                .build();
    }

    private static void holds(JobView view, String message) {
        assertThat(JobPlanner.plan(view)).isEqualTo(new TreePlan.Hold(MapReduceJobReason.PrefixNotGranted, message));
    }

    @Test
    void jobIsCreatedUnderThePrefixOfItsPool() {
        JobView view = view(spec(), NEW, GRANTED);
        assertThat(view.layout()).isEqualTo(new TreeLayout.Foreign(PREFIX, "sums", Optional.of("sum")));
        assertThat(view.placeIsNew()).isTrue();
        assertThat(JobPlanner.plan(view))
                .isInstanceOfSatisfying(
                        TreePlan.Create.class,
                        create -> assertThat(create.tree()
                                        .of(UID, Duration.ZERO)
                                        .root()
                                        .children()
                                        .getFirst()
                                        .body()
                                        .input())
                                .hasValue(IntNode.valueOf(7)));
        assertThat(JobStatusCalculator.intent(view, 0).grantedPrefix()).isEqualTo(PREFIX);
    }

    @Test
    void jobWaitsForAPrefix() {
        String field = "spec.workerPoolRef.name: WorkerPool sums";
        holds(view(spec(), NEW, GRANTED, null), field + " has no spec.grantedPrefix, and wire: Queue needs one.");
        holds(
                view(spec(), NEW, GRANTED, new GrantedPrefix(PREFIX, List.of(), PrefixWire.Idoit)),
                field + " shares its spec.grantedPrefix with programs of another wire, and wire: Queue needs"
                        + " spec.grantedPrefix.wire: Queue.");
        assertThat(JobPlanner.plan(view(spec(), NEW, NOTHING)).toString())
                .contains(field + ": spec.grantedPrefix.prefix: \"queue:\" is not granted to namespace a");
    }

    /** It may be there, where the operator may not look: it is neither lost nor made again. */
    @Test
    void jobWhosePrefixWasTakenAwayWaits() {
        for (GrantedPrefixes prefixes : List.of(NOTHING, new GrantedPrefixes(Map.of("a", "other:"), false))) {
            JobView view = view(spec().storeLossPolicy(StoreLossPolicy.Resubmit), ACCEPTED, prefixes);
            assertThat(view.layout()).isInstanceOf(TreeLayout.Withheld.class);
            assertThat(JobPlanner.plan(view))
                    .isInstanceOfSatisfying(
                            TreePlan.Hold.class,
                            hold -> assertThat(hold.reason()).isEqualTo(MapReduceJobReason.PrefixNotGranted));
        }
    }

    @Test
    void jobThatIsGoneHasAnUnknownOutcome() {
        assertThat(JobPlanner.plan(view(spec(), ACCEPTED, GRANTED)))
                .isInstanceOfSatisfying(TreePlan.Conclude.class, gone -> {
                    assertThat(gone.reason()).isEqualTo(TreeReason.StoreLost);
                    assertThat(gone.message()).contains("The outcome is unknown.");
                });
        assertThat(JobPlanner.plan(view(spec().storeLossPolicy(StoreLossPolicy.Resubmit), ACCEPTED, GRANTED)))
                .isInstanceOfSatisfying(
                        TreePlan.Create.class,
                        create -> assertThat(create.resubmitted()).isTrue());
    }

    @Test
    void fieldThatTheKeysDoNotHoldEndsIt() {
        assertThat(JobPlanner.plan(view(spec().chunks(new MapReduceChunks(7)), NEW, GRANTED)))
                .isEqualTo(new TreePlan.Conclude(
                        MapReduceJobReason.SpecInvalid,
                        "spec.chunks cannot be set with wire: Queue, whose keys do not hold it."));
    }

    @Test
    void functionsAreThoseThatThePoolHasForTheType() {
        assertThat(JobHandlers.wanted(view(spec(), NEW, GRANTED)))
                .extracting(HandlerCondition.Wanted::name)
                .containsExactly("sum.map", "sum.process", "sum.reduce");
        GrantedPrefix renamed =
                new GrantedPrefix(PREFIX, List.of(new GrantedType("sum", "total", 3, 60, 30)), PrefixWire.Queue);
        assertThat(JobHandlers.wanted(view(spec(), NEW, GRANTED, renamed)))
                .extracting(HandlerCondition.Wanted::name)
                .containsExactly("total.map", "total.process", "total.reduce");
    }
}
