package dev.quiver.crds.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.kubernetes.client.CustomResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A guide tells of a kind whole: every field of its spec and status, every condition and every reason. */
class GuidesTest {

    /** The guide of the plugin, which shows all kinds. */
    private static final String NO_KIND = "kubectl.md";

    /** Published once, and set by no operator: a guide would promise them. */
    private static final Set<String> SET_BY_NOBODY = Set.of("WorkerSetupFailed", "Emptied", "Rewound");

    static Stream<Arguments> fields() {
        return Stream.of(
                        fields(TaskSet.class, TaskSetSpec.class),
                        fields(TaskSet.class, RunHistory.class),
                        fields(TaskSet.class, RunHistoryOutput.class),
                        fields(TaskSet.class, RunHistoryRetention.class),
                        fields(TaskSet.class, TaskSource.class),
                        fields(TaskSet.class, TaskTemplate.class),
                        fields(TaskSet.class, TaskInput.class),
                        fields(TaskSet.class, TaskSetStatus.class),
                        fields(TaskSet.class, TaskFailure.class),
                        fields(Task.class, TaskSpec.class),
                        fields(Task.class, RunHistory.class),
                        fields(Task.class, RunHistoryOutput.class),
                        fields(Task.class, RunHistoryRetention.class),
                        fields(Task.class, TaskUnit.class),
                        fields(Task.class, TaskNode.class),
                        fields(Task.class, TaskForEach.class),
                        fields(Task.class, TaskIterator.class),
                        fields(Task.class, MapReduce.class),
                        fields(Task.class, MapReduceMap.class),
                        fields(Task.class, MapReducePart.class),
                        fields(Task.class, MapReduceCombine.class),
                        fields(Task.class, Backoff.class),
                        fields(Task.class, TaskSchedule.class),
                        fields(Task.class, TaskStatus.class),
                        fields(Task.class, TaskScheduleStatus.class),
                        fields(Task.class, TaskRun.class),
                        fields(Task.class, TaskNodeCounts.class),
                        fields(Task.class, TaskNodeStatus.class),
                        fields(Task.class, TaskError.class),
                        fields(MapReduceJob.class, MapReduceJobSpec.class),
                        fields(MapReduceJob.class, RunHistory.class),
                        fields(MapReduceJob.class, RunHistoryOutput.class),
                        fields(MapReduceJob.class, RunHistoryRetention.class),
                        fields(MapReduceJob.class, MapReduceInput.class),
                        fields(MapReduceJob.class, MapReduceMap.class),
                        fields(MapReduceJob.class, MapReducePart.class),
                        fields(MapReduceJob.class, MapReduceCombine.class),
                        fields(MapReduceJob.class, MapReduceChunks.class),
                        fields(MapReduceJob.class, MapReduceScratch.class),
                        fields(MapReduceJob.class, Backoff.class),
                        fields(MapReduceJob.class, TaskSchedule.class),
                        fields(MapReduceJob.class, MapReduceJobStatus.class),
                        fields(MapReduceJob.class, MapReduceChunkCounts.class),
                        fields(MapReduceJob.class, TaskFailure.class),
                        fields(MapReduceJob.class, TaskScheduleStatus.class),
                        fields(MapReduceJob.class, TaskRun.class),
                        fields(MapReduceJob.class, TaskError.class),
                        fields(WorkerPool.class, WorkerPoolSpec.class),
                        fields(WorkerPool.class, Slots.class),
                        fields(WorkerPool.class, Rollout.class),
                        fields(WorkerPool.class, GrantedPrefix.class),
                        fields(WorkerPool.class, PoolHistory.class),
                        fields(WorkerPool.class, GrantedType.class),
                        fields(WorkerPool.class, PoolResource.class),
                        fields(WorkerPool.class, ResourceAlias.class),
                        fields(WorkerPool.class, PoolResourceStatus.class),
                        fields(WorkerPool.class, WorkerPoolStatus.class))
                .flatMap(all -> all);
    }

    static Stream<Arguments> reasons() {
        return Stream.of(
                        reasons(TaskSet.class, TaskSetReason.values()),
                        reasons(TaskSet.class, HandlerReason.values()),
                        reasons(TaskSet.class, BlockedReason.values()),
                        reasons(Task.class, TaskReason.values()),
                        reasons(Task.class, TreeReason.values()),
                        reasons(Task.class, HandlerReason.values()),
                        reasons(Task.class, BlockedReason.values()),
                        reasons(MapReduceJob.class, MapReduceJobReason.values()),
                        reasons(MapReduceJob.class, TreeReason.values()),
                        reasons(MapReduceJob.class, HandlerReason.values()),
                        reasons(MapReduceJob.class, BlockedReason.values()),
                        reasons(WorkerPool.class, WorkerPoolReason.values()),
                        reasons(WorkerPool.class, StoreReason.values()),
                        reasons(WorkerPool.class, HistoryReason.values()))
                .flatMap(all -> all);
    }

    @ParameterizedTest
    @MethodSource("fields")
    void tellsOfEveryField(Class<? extends CustomResource<?, ?>> kind, String field) throws IOException {
        assertThat(guide(kind)).containsPattern("`([\\w./]*\\.)?" + field + "(\\.[\\w.]+)?(: [\\w-]+)?`");
    }

    @ParameterizedTest
    @MethodSource("reasons")
    void tellsOfEveryReason(Class<? extends CustomResource<?, ?>> kind, String reason) throws IOException {
        assertThat(guide(kind)).contains("`" + reason + "`");
    }

    @Test
    void tellOfEveryCondition() throws IOException {
        var guides = guide(TaskSet.class) + guide(WorkerPool.class);
        assertThat(ConditionType.values()).allSatisfy(type -> assertThat(guides).contains(type.name()));
    }

    @Test
    void haveExamplesOfTheirKind() throws IOException {
        for (var guide : Examples.guides()) {
            if (guide.endsWith(NO_KIND) || guide.toString().endsWith("-fields.md")) {
                continue;
            }
            var kind = guide.getFileName().toString().replace(".md", "");
            assertThat(Examples.all().stream()
                            .filter(it -> it.name().startsWith(guide.getFileName() + ":"))
                            .filter(it -> it.yaml().toLowerCase(Locale.ROOT).contains("kind: " + kind)))
                    .as("blocks of %s", guide)
                    .isNotEmpty();
        }
    }

    private static Stream<Arguments> fields(Class<?> kind, Class<? extends Record> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(GuidesTest::inTheResource)
                .map(field -> Arguments.of(kind, field));
    }

    private static String inTheResource(RecordComponent component) {
        var named = component.getAccessor().getAnnotation(JsonProperty.class);
        return named == null ? component.getName() : named.value();
    }

    private static Stream<Arguments> reasons(Class<?> kind, Reason... reasons) {
        return List.of(reasons).stream()
                .map(Reason::name)
                .filter(reason -> !SET_BY_NOBODY.contains(reason))
                .map(reason -> Arguments.of(kind, reason));
    }

    private static String guide(Class<? extends CustomResource<?, ?>> kind) throws IOException {
        return Files.readString(Examples.GUIDES.resolve(kind.getSimpleName().toLowerCase(Locale.ROOT) + ".md"));
    }
}
