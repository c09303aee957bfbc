package dev.quiver.controller.pool.podspec;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraint;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraintBuilder;

import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolSpec;
import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * Builds a worker pod from the user's template. It adds the agent in front of the worker container, the supervisor
 * beside it, and the memory volumes between them. Fields that the template sets are kept; only unset ones are filled
 * in. Pure: the same pool gives the same pod.
 *
 * @param platform images and defaults
 */
public record WorkerPodBuilder(PodPlatform platform) {

    private static final String SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict";
    private static final String MAY_GO = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes";

    public Pod build(WorkerPool pool, Keyspace keyspace, String name, String hash) {
        PodTemplateSpec template = pool.getSpec().template();
        ObjectMeta meta = Optional.ofNullable(template.getMetadata()).orElseGet(ObjectMeta::new);
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(pool.getMetadata().getNamespace())
                .withLabels(meta.getLabels())
                .addToLabels(labels(pool, hash))
                .withAnnotations(annotations(meta))
                .addNewOwnerReference()
                .withApiVersion(pool.getApiVersion())
                .withKind(pool.getKind())
                .withName(pool.getMetadata().getName())
                .withUid(pool.getMetadata().getUid())
                .withController(true)
                .withBlockOwnerDeletion(true)
                .endOwnerReference()
                .endMetadata()
                .withSpec(spec(pool, keyspace, template.getSpec()))
                .build();
    }

    static Map<String, String> labels(WorkerPool pool, String hash) {
        return Map.of(
                Quiver.POOL_LABEL,
                pool.getMetadata().getName(),
                Quiver.TEMPLATE_HASH_LABEL,
                hash,
                Quiver.MANAGED_BY_LABEL,
                Quiver.MANAGED_BY,
                PodParts.COMPONENT_LABEL,
                PodParts.COMPONENT);
    }

    /**
     * The cluster autoscaler keeps a node whose pod has an owner that it does not know. An eviction drains a worker, so
     * each may go, unless its template decides otherwise. It also keeps a node whose pod has a disk volume, unless the pod
     * names it as one that may go.
     */
    private Map<String, String> annotations(ObjectMeta meta) {
        Map<String, String> annotations =
                new TreeMap<>(Optional.ofNullable(meta.getAnnotations()).orElse(Map.of()));
        annotations.putIfAbsent(SAFE_TO_EVICT, "true");
        if (platform.history().isPresent()) {
            annotations.merge(MAY_GO, PodParts.VOLUME_WHOLE, (theirs, ours) -> theirs + "," + ours);
        }
        return annotations;
    }

    private PodSpec spec(WorkerPool pool, Keyspace keyspace, PodSpec template) {
        SupervisorContainers own = new SupervisorContainers(platform);
        List<Container> init = new ArrayList<>();
        init.add(own.install(pool, template));
        init.add(own.supervisor(pool, keyspace, template));
        template.getInitContainers().forEach(c -> init.add(beside(c)));
        PodSpecBuilder spec = new PodSpecBuilder(template)
                .withInitContainers(init)
                .withContainers(template.getContainers().stream()
                        .map(c -> isWorker(c) ? worker(pool, c) : beside(c))
                        .toList())
                .addAllToVolumes(PodVolumes.of(SupervisorResources.geometry(pool.getSpec())))
                .withRestartPolicy("Always")
                .withTerminationGracePeriodSeconds(pool.getSpec().drainSeconds() + PodParts.GRACE_AFTER_DRAIN_SECONDS)
                .withSecurityContext(podSecurity(template));
        if (platform.history().isPresent()) {
            spec.addToVolumes(PodVolumes.historyToken(), PodVolumes.whole());
            if (template.getServiceAccountName() == null && template.getServiceAccount() == null) {
                // What admission would choose; validation wants it beside such a token.
                spec.withServiceAccountName("default");
            }
        }
        if (template.getAutomountServiceAccountToken() == null) {
            spec.withAutomountServiceAccountToken(false);
        }
        if (template.getTopologySpreadConstraints().isEmpty()) {
            spec.withTopologySpreadConstraints(softSpread(pool));
        }
        return spec.build();
    }

    private PodSecurityContext podSecurity(PodSpec template) {
        PodSecurityContextBuilder security = template.getSecurityContext() == null
                ? new PodSecurityContextBuilder()
                : new PodSecurityContextBuilder(template.getSecurityContext());
        if (!security.hasFsGroup() && !platform.platformAssignsIds()) {
            security.withFsGroup(PodPlatform.OWN_ID);
        }
        if (!security.hasSeccompProfile()) {
            security.withNewSeccompProfile().withType("RuntimeDefault").endSeccompProfile();
        }
        return security.build();
    }

    private Container worker(WorkerPool pool, Container template) {
        ContainerBuilder worker = new ContainerBuilder(template)
                .withCommand(PodParts.PATH_AGENT + "/quiver-agent", "run")
                .withArgs(handlerArguments(pool.getSpec()))
                .addToEnv(
                        SupervisorContainers.value("QUIVER_IN", PodParts.PATH_IN),
                        SupervisorContainers.value("QUIVER_OUT", PodParts.PATH_OUT),
                        SupervisorContainers.value(
                                "QUIVER_POOL", pool.getMetadata().getName()),
                        SupervisorContainers.field("QUIVER_POD_NAME", "metadata.name"),
                        SupervisorContainers.value(
                                "QUIVER_DRAIN_SECONDS", pool.getSpec().drainSeconds()))
                .addToVolumeMounts(
                        SupervisorContainers.mount(PodParts.VOLUME_AGENT, PodParts.PATH_AGENT, true),
                        SupervisorContainers.mount(PodParts.VOLUME_IN, PodParts.PATH_IN, true),
                        SupervisorContainers.mount(PodParts.VOLUME_OUT, PodParts.PATH_OUT, false))
                .withSecurityContext(workerSecurity(template.getSecurityContext()));
        if (platform.history().isPresent()) {
            worker.addToEnv(SupervisorContainers.value("QUIVER_WHOLE", PodParts.PATH_WHOLE))
                    .addToVolumeMounts(SupervisorContainers.mount(PodParts.VOLUME_WHOLE, PodParts.PATH_WHOLE, false));
        }
        return worker.build();
    }

    private static Container beside(Container template) {
        return new ContainerBuilder(template)
                .withSecurityContext(IsolationCheck.withoutRawPackets(template.getSecurityContext()))
                .build();
    }

    /** The command that the agent starts in each slot and keeps alive. */
    private static List<String> handlerArguments(WorkerPoolSpec spec) {
        return spec.handlerProcess()
                .map(handler -> Stream.concat(Stream.of("--"), handler.command().stream())
                        .toList())
                .orElse(List.of());
    }

    /**
     * Drops all capabilities but those that the template adds by name; {@link IsolationCheck} shows which it may add.
     * For a template that adds ALL nothing is dropped: dropping all would win over adding all.
     */
    private static SecurityContext workerSecurity(SecurityContext template) {
        SecurityContextBuilder security =
                template == null ? new SecurityContextBuilder() : new SecurityContextBuilder(template);
        if (!IsolationCheck.addsAll(template)) {
            security.editOrNewCapabilities().withDrop("ALL").endCapabilities();
        }
        if (!security.hasAllowPrivilegeEscalation() && !asksForPrivilege(template)) {
            security.withAllowPrivilegeEscalation(false);
        }
        return security.build();
    }

    /** The API server refuses these together with a ban on escalation. */
    private static boolean asksForPrivilege(SecurityContext template) {
        return template != null
                && (Boolean.TRUE.equals(template.getPrivileged())
                        || (template.getCapabilities() != null
                                && template.getCapabilities().getAdd().stream()
                                        .anyMatch(c -> c.endsWith("SYS_ADMIN"))));
    }

    private static TopologySpreadConstraint softSpread(WorkerPool pool) {
        return new TopologySpreadConstraintBuilder()
                .withMaxSkew(1)
                .withTopologyKey("kubernetes.io/hostname")
                .withWhenUnsatisfiable("ScheduleAnyway")
                .withNewLabelSelector()
                .addToMatchLabels(Quiver.POOL_LABEL, pool.getMetadata().getName())
                .endLabelSelector()
                .build();
    }

    private static boolean isWorker(Container container) {
        return WorkerPool.WORKER_CONTAINER.equals(container.getName());
    }
}
