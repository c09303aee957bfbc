package dev.quiver.controller.pool.podspec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.controller.rig.Samples;
import dev.quiver.crds.v1alpha1.Handler;
import dev.quiver.crds.v1alpha1.Slots;
import dev.quiver.crds.v1alpha1.Supervisor;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.slots.Geometry;

class WorkerPodBuilderTest {

    private static final PodPlatform PLATFORM =
            new PodPlatform("quiver/worker:1", "IfNotPresent", new ResourceRequirements(), false);
    private static final Keyspace KEYSPACE = Keyspace.ofNamespace("team");

    @Test
    void theAgentStandsInFrontOfTheUsersCommand() {
        Container worker = worker(build(pool(Samples.template())));
        assertThat(worker.getCommand()).containsExactly("/quiver/agent/quiver-agent", "run");
        assertThat(worker.getArgs()).isEmpty();
        assertThat(env(worker)).containsEntry("QUIVER_IN", "/quiver/in").containsEntry("QUIVER_POOL", "p");
        assertThat(worker.getVolumeMounts())
                .anyMatch(m -> m.getName().equals("quiver-in") && Boolean.TRUE.equals(m.getReadOnly()))
                .anyMatch(m -> m.getName().equals("quiver-out") && m.getReadOnly() == null)
                .noneMatch(m -> m.getName().equals("quiver-redis"));
    }

    @Test
    void theAgentIsToldWhatItKeepsAliveInEachSlot() {
        WorkerPool serving = pool(Samples.template());
        serving.setSpec(WorkerPoolSpecBuilder.builder(serving.getSpec())
                .handler(new Handler(List.of("python3", "-m", "images")))
                .build());
        assertThat(worker(build(serving)).getArgs()).containsExactly("--", "python3", "-m", "images");
        assertThat(TemplateHash.of(serving.getSpec(), PLATFORM))
                .as("another handler rolls through the pool")
                .isNotEqualTo(TemplateHash.of(pool(Samples.template()).getSpec(), PLATFORM));
    }

    @Test
    void theSupervisorIsANativeSidecarThatDrainsBeforeItStops() {
        Container supervisor =
                build(pool(Samples.template())).getSpec().getInitContainers().get(1);
        assertThat(supervisor.getRestartPolicy()).isEqualTo("Always");
        assertThat(supervisor.getLifecycle().getPreStop().getHttpGet().getPath())
                .isEqualTo("/drain/" + env(supervisor).get("QUIVER_POOL_UID"));
        assertThat(supervisor.getLifecycle().getPreStop().getHttpGet().getPort())
                .isEqualTo(new IntOrString(9464));
        assertThat(env(supervisor))
                .containsEntry("QUIVER_KEYSPACE_PREFIX", "quiver:{team}:")
                .containsEntry("QUIVER_SLOTS", "4")
                .containsEntry("QUIVER_INPUT_BYTES", "1048576")
                .containsEntry("QUIVER_DRAIN_SECONDS", "300");
        assertThat(supervisor.getSecurityContext().getRunAsNonRoot()).isTrue();
        assertThat(supervisor.getSecurityContext().getReadOnlyRootFilesystem()).isTrue();
        assertThat(supervisor.getSecurityContext().getCapabilities().getDrop()).containsExactly("ALL");
    }

    @Test
    void theSupervisorHasFiveMinutesToStartOnABusyNode() {
        Container supervisor =
                build(pool(Samples.template())).getSpec().getInitContainers().get(1);
        Probe startup = supervisor.getStartupProbe();
        assertThat(startup.getPeriodSeconds() * startup.getFailureThreshold()).isEqualTo(300);
        assertThat(supervisor.getLivenessProbe().getTimeoutSeconds()).isEqualTo(5);
    }

    @Test
    void theSupervisorAloneHasATokenForHistoryWhereItTakesLargeResults() {
        assertThat(build(pool(Samples.template())).getSpec().getVolumes())
                .noneMatch(volume -> volume.getName().equals("quiver-history"));
        PodPlatform platform = new PodPlatform(
                "quiver/worker:1",
                "IfNotPresent",
                new ResourceRequirements(),
                false,
                Optional.of(new HistoryEndpoint(
                        "https://history.system.svc:8443", Optional.of(Path.of("/quiver/history/ca.crt")))));
        WorkerPool pool = pool(Samples.template());
        Pod pod = new WorkerPodBuilder(platform).build(pool, KEYSPACE, "p-0", "hash");
        assertThat(pod.getSpec().getVolumes())
                .filteredOn(volume -> volume.getName().equals("quiver-history"))
                .singleElement()
                .satisfies(volume -> {
                    var token = volume.getProjected().getSources().getFirst().getServiceAccountToken();
                    assertThat(token.getAudience()).isEqualTo("write.history.quiver.dev");
                    assertThat(token.getPath()).isEqualTo("token");
                });
        assertThat(pod.getSpec().getServiceAccountName())
                .as("no token is projected without one")
                .isEqualTo("default");
        assertThat(pod.getSpec().getAutomountServiceAccountToken()).isFalse();
        Container supervisor = pod.getSpec().getInitContainers().get(1);
        assertThat(env(supervisor))
                .containsEntry("QUIVER_HISTORY_URL", "https://history.system.svc:8443")
                .containsEntry("QUIVER_HISTORY_TOKEN", "/quiver/history/token")
                .containsEntry("QUIVER_HISTORY_CA", "/quiver/redis/history-ca.crt");
        assertThat(supervisor.getVolumeMounts())
                .anyMatch(mount -> mount.getName().equals("quiver-history")
                        && mount.getMountPath().equals("/quiver/history")
                        && Boolean.TRUE.equals(mount.getReadOnly()));
        assertThat(worker(pod).getVolumeMounts())
                .noneMatch(mount -> mount.getName().equals("quiver-history"));
        assertThat(pod.getSpec().getVolumes())
                .as("on a disk, for all that commands print")
                .anyMatch(volume -> volume.getName().equals("quiver-whole")
                        && volume.getEmptyDir().getMedium() == null);
        assertThat(env(supervisor)).containsEntry("QUIVER_WHOLE", "/quiver/whole");
        assertThat(env(worker(pod))).containsEntry("QUIVER_WHOLE", "/quiver/whole");
        assertThat(supervisor.getVolumeMounts())
                .anyMatch(mount ->
                        mount.getMountPath().equals("/quiver/whole") && Boolean.TRUE.equals(mount.getReadOnly()));
        assertThat(worker(pod).getVolumeMounts())
                .anyMatch(mount -> mount.getMountPath().equals("/quiver/whole") && mount.getReadOnly() == null);
        assertThat(pod.getMetadata().getAnnotations())
                .as("the autoscaler may remove the node")
                .containsEntry("cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes", "quiver-whole");
        assertThat(TemplateHash.of(pool.getSpec(), platform)).isNotEqualTo(TemplateHash.of(pool.getSpec(), PLATFORM));
    }

    /** The cluster autoscaler does not know the owner of a worker, and would keep its node for ever. */
    @Test
    void theAutoscalerMayEvictAWorkerUnlessItsTemplateForbidsIt() {
        String key = "cluster-autoscaler.kubernetes.io/safe-to-evict";
        assertThat(build(pool(Samples.template())).getMetadata().getAnnotations())
                .containsEntry(key, "true");
        PodTemplateSpec kept = new PodTemplateSpecBuilder(Samples.template())
                .editOrNewMetadata()
                .addToAnnotations(key, "false")
                .endMetadata()
                .build();
        assertThat(build(pool(kept)).getMetadata().getAnnotations()).containsEntry(key, "false");
    }

    @Test
    void graceIsTheDrainAndALittle() {
        assertThat(build(pool(Samples.template())).getSpec().getTerminationGracePeriodSeconds())
                .isEqualTo(315);
    }

    @Test
    void volumesAreExactlyWhatTheGeometrySays() {
        Pod pod = build(pool(Samples.template()));
        Geometry geometry = new Geometry(4, 1 << 20, 1 << 20);
        assertThat(size(pod, "quiver-in")).isEqualTo(geometry.inVolumeBytes());
        assertThat(size(pod, "quiver-out")).isEqualTo(geometry.outVolumeBytes());
        assertThat(pod.getSpec().getVolumes())
                .filteredOn(v -> v.getEmptyDir() != null)
                .allMatch(v -> v.getEmptyDir().getMedium().equals("Memory"));
    }

    @Test
    void theSupervisorsMemoryIsItsShareAndTheInputs() {
        long inputs = new Geometry(4, 1 << 20, 1 << 20).inVolumeBytes();
        ResourceRequirements usual =
                SupervisorResources.of(pool(Samples.template()).getSpec(), PLATFORM);
        assertThat(bytes(usual.getLimits().get("memory"))).isEqualTo((192L << 20) + inputs);
        assertThat(bytes(usual.getRequests().get("memory"))).isEqualTo((192L << 20) + inputs);
        assertThat(usual.getRequests()).containsKey("cpu");

        WorkerPool own = pool(Samples.template());
        own.setSpec(WorkerPoolSpecBuilder.builder(own.getSpec())
                .supervisor(new Supervisor(new ResourceRequirementsBuilder()
                        .addToLimits("memory", new Quantity("512Mi"))
                        .build()))
                .build());
        assertThat(bytes(SupervisorResources.of(own.getSpec(), PLATFORM)
                        .getLimits()
                        .get("memory")))
                .isEqualTo((512L << 20) + inputs);
    }

    /** A quota or a LimitRange judges every container, init containers too. */
    @Test
    void installHasTheSupervisorsResources() {
        WorkerPool own = pool(Samples.template());
        own.setSpec(WorkerPoolSpecBuilder.builder(own.getSpec())
                .supervisor(new Supervisor(new ResourceRequirementsBuilder()
                        .addToRequests("cpu", new Quantity("100m"))
                        .addToLimits("cpu", new Quantity("1"))
                        .addToLimits("memory", new Quantity("512Mi"))
                        .build()))
                .build());
        List<Container> init = build(own).getSpec().getInitContainers();
        assertThat(init).extracting(Container::getName).startsWith("quiver-install", "quiver-supervisor");
        assertThat(init.get(0).getResources()).isEqualTo(init.get(1).getResources());
        assertThat(init.get(0).getResources().getLimits()).containsEntry("cpu", new Quantity("1"));
    }

    @Test
    void whatTheTemplateSetsIsKept() {
        PodTemplateSpec template = new PodTemplateSpecBuilder()
                .withNewMetadata()
                .addToLabels("app", "x")
                .addToAnnotations("note", "y")
                .endMetadata()
                .withNewSpec()
                .withAutomountServiceAccountToken(true)
                .withNewSecurityContext()
                .withRunAsUser(1000L)
                .withFsGroup(2000L)
                .endSecurityContext()
                .addNewContainer()
                .withName("worker")
                .withNewSecurityContext()
                .withNewCapabilities()
                .withAdd("NET_BIND_SERVICE")
                .endCapabilities()
                .endSecurityContext()
                .endContainer()
                .addNewContainer()
                .withName("helper")
                .withCommand("sleep")
                .endContainer()
                .endSpec()
                .build();
        Pod pod = build(pool(template));
        assertThat(pod.getMetadata().getLabels()).containsEntry("app", "x").containsEntry("quiver.dev/pool", "p");
        assertThat(pod.getMetadata().getAnnotations()).containsEntry("note", "y");
        assertThat(pod.getSpec().getAutomountServiceAccountToken()).isTrue();
        assertThat(pod.getSpec().getSecurityContext().getFsGroup()).isEqualTo(2000L);
        assertThat(pod.getSpec().getContainers()).extracting(Container::getName).containsExactly("worker", "helper");
        assertThat(worker(pod).getSecurityContext().getCapabilities().getAdd()).containsExactly("NET_BIND_SERVICE");
        assertThat(worker(pod).getSecurityContext().getCapabilities().getDrop()).containsExactly("ALL");
        assertThat(pod.getSpec().getInitContainers().get(1).getSecurityContext().getRunAsUser())
                .as("the pod's user is not root: it is ours too")
                .isNull();
    }

    @Test
    void whereThePlatformAssignsIdsNoneAreSet() {
        PodPlatform openShift = new PodPlatform("quiver/worker:1", "IfNotPresent", new ResourceRequirements(), true);
        Pod pod = new WorkerPodBuilder(openShift).build(pool(Samples.template()), KEYSPACE, "p-0", "h");
        assertThat(pod.getSpec().getSecurityContext().getFsGroup()).isNull();
        assertThat(pod.getSpec().getInitContainers())
                .allMatch(c -> c.getSecurityContext().getRunAsUser() == null);
    }

    @Test
    void aPrivilegedWorkerIsNotMadeInvalid() {
        PodTemplateSpec template = new PodTemplateSpecBuilder(Samples.template())
                .editSpec()
                .editContainer(0)
                .withNewSecurityContext()
                .withPrivileged(true)
                .endSecurityContext()
                .endContainer()
                .endSpec()
                .build();
        assertThat(worker(build(pool(template))).getSecurityContext().getAllowPrivilegeEscalation())
                .isNull();
    }

    @ParameterizedTest
    @CsvSource({"CHOWN,,ALL", ",SETUID,ALL", "NET_RAW,ALL,NET_RAW", ",CAP_ALL,"})
    void theWorkerKeepsNoCapabilityButThoseThatTheTemplateAdds(String drops, String adds, String dropped) {
        PodTemplateSpec template = new PodTemplateSpecBuilder(Samples.template())
                .editSpec()
                .editContainer(0)
                .withNewSecurityContext()
                .withNewCapabilities()
                .withDrop(Stream.ofNullable(drops).toList())
                .withAdd(Stream.ofNullable(adds).toList())
                .endCapabilities()
                .endSecurityContext()
                .endContainer()
                .endSpec()
                .build();
        var capabilities = worker(build(pool(template))).getSecurityContext().getCapabilities();
        assertThat(capabilities.getDrop()).isEqualTo(Stream.ofNullable(dropped).toList());
        assertThat(capabilities.getAdd()).isEqualTo(Stream.ofNullable(adds).toList());
    }

    @Test
    void theHashIsOfWhatIsWantedWhateverTheOrder() {
        String hash = TemplateHash.of(pool(labelled("a", "b")).getSpec(), PLATFORM);
        assertThat(hash).matches("[0-9a-f]{8}");
        assertThat(TemplateHash.of(pool(labelled("b", "a")).getSpec(), PLATFORM))
                .isEqualTo(hash);
        assertThat(TemplateHash.of(pool(Samples.template("app:2")).getSpec(), PLATFORM))
                .isNotEqualTo(hash);
        PodPlatform upgraded = new PodPlatform("quiver/worker:2", "IfNotPresent", new ResourceRequirements(), false);
        assertThat(TemplateHash.of(pool(labelled("a", "b")).getSpec(), upgraded))
                .isNotEqualTo(hash);
        WorkerPool more = pool(labelled("a", "b"));
        more.setSpec(WorkerPoolSpecBuilder.builder(more.getSpec())
                .slots(new Slots(8, null, null))
                .build());
        assertThat(TemplateHash.of(more.getSpec(), PLATFORM)).isNotEqualTo(hash);
        WorkerPool scaled = pool(labelled("a", "b"));
        scaled.setSpec(
                WorkerPoolSpecBuilder.builder(scaled.getSpec()).replicas(9).build());
        assertThat(TemplateHash.of(scaled.getSpec(), PLATFORM))
                .as("scaling rolls nothing")
                .isEqualTo(hash);
    }

    private static PodTemplateSpec labelled(String first, String second) {
        Map<String, String> labels = new java.util.LinkedHashMap<>();
        labels.put(first, "1");
        labels.put(second, "1");
        return new PodTemplateSpecBuilder(Samples.template())
                .withNewMetadata()
                .withLabels(labels)
                .endMetadata()
                .build();
    }

    private static Pod build(WorkerPool pool) {
        return new WorkerPodBuilder(PLATFORM).build(pool, KEYSPACE, "p-0", "h");
    }

    private static WorkerPool pool(PodTemplateSpec template) {
        WorkerPool pool = Samples.pool("p", 1);
        pool.getMetadata().setUid("u");
        pool.setSpec(
                WorkerPoolSpecBuilder.builder(pool.getSpec()).template(template).build());
        return pool;
    }

    private static Container worker(Pod pod) {
        return pod.getSpec().getContainers().getFirst();
    }

    private static Map<String, String> env(Container container) {
        return container.getEnv().stream()
                .filter(e -> e.getValue() != null)
                .collect(java.util.stream.Collectors.toMap(EnvVar::getName, EnvVar::getValue));
    }

    private static long size(Pod pod, String volume) {
        return pod.getSpec().getVolumes().stream()
                .filter(v -> v.getName().equals(volume))
                .map(Volume::getEmptyDir)
                .mapToLong(d -> bytes(d.getSizeLimit()))
                .findFirst()
                .orElseThrow();
    }

    private static long bytes(Quantity quantity) {
        return Quantity.getAmountInBytes(quantity).longValueExact();
    }
}
