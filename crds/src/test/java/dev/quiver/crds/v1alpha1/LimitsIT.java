package dev.quiver.crds.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ContainerPortBuilder;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.api.model.VolumeProjectionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.crds.apiserver.ApiServer;

/** A resource just within the bounds is accepted, and within what the API server lets rules cost at run time. */
@ExtendWith(ApiServer.class)
class LimitsIT {
    private final KubernetesClient client;

    LimitsIT(KubernetesClient client) {
        this.client = client;
    }

    /** All letters of base64, also those in which the alphabet for URLs differs. */
    @Test
    void acceptsBytesOfAnyValue() {
        var bytes = new byte[256];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        var base64 = Base64.getEncoder().encodeToString(bytes);
        assertThat(base64).contains("+", "/", "==");

        var input = new TaskInput(null, base64, null, null);
        var set = Specimens.taskSet("bytes");
        set.setSpec(TaskSetSpecBuilder.builder(set.getSpec())
                .source(TaskSource.ofItems(List.of(new TaskItem("a", null, null, input))))
                .task(TaskTemplateBuilder.builder()
                        .handler("resize")
                        .input(input)
                        .build())
                .build());
        assertThat(client.resource(set).create().getSpec()).isEqualTo(set.getSpec());

        var job = Specimens.mapReduceJob("bytes");
        job.setSpec(MapReduceJobSpecBuilder.builder(job.getSpec())
                .input(MapReduceInput.ofBase64(base64, null))
                .build());
        assertThat(client.resource(job).create().getSpec()).isEqualTo(job.getSpec());
    }

    @Test
    void acceptsTheLongestNames() {
        client.resource(Specimens.pool("p".repeat(WorkerPool.MAX_NAME_LENGTH))).create();
        client.resource(Specimens.taskSet("t".repeat(TaskSet.MAX_NAME_LENGTH))).create();
    }

    @Test
    void acceptsAThousandItemsOfManyArguments() {
        var item = new TaskItem("n", Collections.nCopies(64, "x"), null);
        scales(withSource("many-args", TaskSource.ofItems(Collections.nCopies(1000, item))));
    }

    @Test
    void acceptsAThousandItemsOfManyVariables() {
        var env =
                IntStream.range(0, 20).mapToObj(i -> new EnvEntry("E" + i, "")).toList();
        scales(withSource("many-env", TaskSource.ofItems(Collections.nCopies(1000, new TaskItem("n", null, env)))));
    }

    @Test
    void acceptsAThousandItemsWithInputs() {
        var input = new TaskInput(null, "QUJD".repeat(10), null, TaskInput.Format.Arrow);
        var set = withSource(
                "many-inputs", TaskSource.ofItems(Collections.nCopies(1000, new TaskItem("n", null, null, input))));
        set.setSpec(TaskSetSpecBuilder.builder(set.getSpec())
                .task(TaskTemplate.ofHandler("resize"))
                .build());
        scales(set);
    }

    @Test
    void acceptsTheLargestInput() {
        var set = Specimens.taskSet("large-input");
        set.setSpec(TaskSetSpecBuilder.builder(set.getSpec())
                .task(TaskTemplateBuilder.builder()
                        .handler("n".repeat(128))
                        .input(new TaskInput(null, "QUJD".repeat(349_528 / 4), null, null))
                        .build())
                .build());
        scales(set);
    }

    @Test
    void acceptsAMillionTasks() {
        scales(withSource("million", TaskSource.ofCount(1_000_000)));
        var thousand = IntStream.range(0, 1000).mapToObj(Integer::toString).toList();
        var matrix = new TreeMap<String, List<String>>();
        matrix.put("A", thousand);
        matrix.put("B", thousand);
        var source = TaskSource.ofMatrix(matrix);
        assertThat(source.size()).hasValue(1_000_000);
        scales(withSource("million-combinations", source));
    }

    @Test
    void acceptsEightVariablesOfAMatrix() {
        var matrix = IntStream.range(0, 8).boxed().collect(Collectors.toMap(i -> "K" + i, i -> List.of("a", "b", "c")));
        scales(withSource("eight-keys", TaskSource.ofMatrix(matrix)));
    }

    @Test
    void acceptsTheBiggestTask() {
        var set = Specimens.taskSet("big-task");
        var env = IntStream.range(0, 64)
                .mapToObj(i -> new EnvEntry("E" + (i + 10), ""))
                .toList();
        var text = 65_536 - 3 * 64; // what the names of the variables leave
        var command = Collections.nCopies(8, "x".repeat(text / 8));
        set.setSpec(TaskSetSpecBuilder.builder(set.getSpec())
                .task(new TaskTemplate(
                        command, null, Collections.nCopies(64, ""), env, null, "/", 604_800, null, null, null))
                .build());
        scales(set);
    }

    @Test
    void acceptsAGrantedPrefixOfTheMostTypes() {
        var pool = Specimens.pool("many-types");
        pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                .grantedPrefix(new GrantedPrefix(
                        "~!#$%&'()+,-./0:;<=>@A^_`z|".repeat(2),
                        IntStream.range(0, GrantedPrefix.MAX_TYPES)
                                .mapToObj(i -> new GrantedType(
                                        "t".repeat(125) + (100 + i), "h".repeat(128), 100, 604_800, 604_800))
                                .toList()))
                .build());
        client.resource(pool).create();
        assertThat(client.resource(pool).scale(3).getSpec())
                .isEqualTo(WorkerPoolSpecBuilder.builder(pool.getSpec())
                        .replicas(3)
                        .build());
    }

    @Test
    void acceptsTheMostBoostsAndWeights() {
        var pool = Specimens.pool("many-boosts");
        pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                .priorityBoosts(IntStream.range(0, 256)
                        .mapToObj(i -> new PriorityBoost("t".repeat(125) + (100 + i), -10_000_000))
                        .toList())
                .fairness(new Fairness(IntStream.range(0, 256)
                        .mapToObj(i -> new FairnessWeight("~".repeat(125) + (100 + i), 1000))
                        .toList()))
                .ageingPerMinute(1000)
                .resources(IntStream.range(0, 64)
                        .mapToObj(i -> new PoolResource(
                                "r".repeat(125) + (100 + i),
                                null,
                                10_000,
                                86_400,
                                null,
                                new ResourceProbe(
                                        new HttpGetProbe(
                                                "h".repeat(253),
                                                65_535,
                                                "/" + "p".repeat(1023),
                                                HttpGetProbe.Scheme.HTTPS),
                                        null,
                                        null,
                                        3600,
                                        10,
                                        100,
                                        100)))
                        .toList())
                .resourceAliases(IntStream.range(0, 16)
                        .mapToObj(i -> new ResourceAlias(
                                "a".repeat(125) + (100 + i),
                                IntStream.range(0, 8)
                                        .mapToObj(k -> "~".repeat(127) + k)
                                        .toList()))
                        .toList())
                .build());
        client.resource(pool).create();
        assertThat(client.resource(pool).scale(3).getSpec())
                .isEqualTo(WorkerPoolSpecBuilder.builder(pool.getSpec())
                        .replicas(3)
                        .build());
    }

    @Test
    void acceptsThePodWithMostInIt() {
        var pool = Specimens.pool("big-pod");
        pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                .slots(new Slots(64, new Quantity("128Mi"), new Quantity("128Mi")))
                .template(new PodTemplateSpecBuilder()
                        .withNewMetadata()
                        .withLabels(IntStream.range(0, 64).boxed().collect(Collectors.toMap(i -> "k" + i, i -> "v")))
                        .endMetadata()
                        .withNewSpec()
                        .withContainers(containers("worker"))
                        .withInitContainers(containers("first"))
                        .withVolumes(volumes())
                        .endSpec()
                        .build())
                .build());
        client.resource(pool).create();
        assertThat(client.resource(pool).scale(3).getSpec().replicas()).isEqualTo(3);
    }

    /** Creates it, and changes it once: an update costs twice as much. */
    private void scales(TaskSet set) {
        client.resource(set).create();
        assertThat(client.resource(set).scale(3).getSpec().replicas()).isEqualTo(3);
    }

    private static TaskSet withSource(String name, TaskSource source) {
        var set = Specimens.taskSet(name);
        set.setSpec(TaskSetSpecBuilder.builder(set.getSpec()).source(source).build());
        return set;
    }

    private static List<Container> containers(String first) {
        return IntStream.range(0, 16)
                .mapToObj(i -> new ContainerBuilder()
                        .withName(i == 0 ? first : first + i)
                        .withImage("quiver/demo:0.1.0")
                        .withEnv(IntStream.range(0, 256)
                                .mapToObj(n -> new EnvVarBuilder()
                                        .withName("E" + n)
                                        .withValue("v")
                                        .build())
                                .toList())
                        .withVolumeMounts(IntStream.range(0, 64)
                                .mapToObj(n -> new VolumeMountBuilder()
                                        .withName("v" + n)
                                        .withMountPath("/mnt/" + n)
                                        .build())
                                .toList())
                        .withPorts(IntStream.range(0, 64)
                                .mapToObj(n -> new ContainerPortBuilder()
                                        .withContainerPort(1000 + n)
                                        .build())
                                .toList())
                        .build())
                .toList();
    }

    private static List<Volume> volumes() {
        var source = new VolumeProjectionBuilder()
                .withNewSecret()
                .withName("mine")
                .endSecret()
                .build();
        return IntStream.range(0, 64)
                .mapToObj(n -> new VolumeBuilder()
                        .withName("v" + n)
                        .withNewProjected()
                        .withSources(Collections.nCopies(16, source))
                        .endProjected()
                        .build())
                .toList();
    }
}
