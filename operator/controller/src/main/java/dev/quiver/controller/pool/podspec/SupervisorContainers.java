package dev.quiver.controller.pool.podspec;

import java.util.ArrayList;
import java.util.List;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;

import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolSpec;
import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * The two containers that the operator adds: one copies the agent into the pod, the other is the supervisor, a native
 * sidecar. Both fit the restricted Pod Security Standard. Pure.
 *
 * @param platform images and defaults
 */
record SupervisorContainers(PodPlatform platform) {

    /**
     * Has the supervisor's resources, though it needs little: a quota or a LimitRange checks each container, and the
     * user can set these resources. This container ends before the supervisor starts, so the pod's request does not
     * grow.
     */
    Container install(WorkerPool pool, PodSpec podSpec) {
        return own(PodParts.INSTALL, podSpec)
                .withCommand("/quiver/bin/quiver-agent", "install", PodParts.PATH_AGENT)
                .withResources(SupervisorResources.of(pool.getSpec(), platform))
                .withVolumeMounts(mount(PodParts.VOLUME_AGENT, PodParts.PATH_AGENT, false))
                .build();
    }

    Container supervisor(WorkerPool pool, Keyspace keyspace, PodSpec podSpec) {
        return own(PodParts.SUPERVISOR, podSpec)
                .withRestartPolicy("Always")
                .withEnv(environment(pool, keyspace))
                .withResources(SupervisorResources.of(pool.getSpec(), platform))
                .addNewPort()
                .withName(PodParts.HTTP_PORT_NAME)
                .withContainerPort(PodParts.HTTP_PORT)
                .withProtocol("TCP")
                .endPort()
                .withVolumeMounts(mounts())
                // Laid out within a second; a node under load gets five minutes.
                .withStartupProbe(probe("/started", 1, 300, 2))
                .withReadinessProbe(probe("/ready", 2, 3, 2))
                .withLivenessProbe(probe("/live", 10, 3, 5))
                .withNewLifecycle()
                .withNewPreStop()
                .withNewHttpGet()
                .withPath("/drain/" + pool.getMetadata().getUid())
                .withPort(new IntOrString(PodParts.HTTP_PORT))
                .endHttpGet()
                .endPreStop()
                .endLifecycle()
                .build();
    }

    private List<VolumeMount> mounts() {
        List<VolumeMount> mounts = new ArrayList<>(List.of(
                mount(PodParts.VOLUME_IN, PodParts.PATH_IN, false),
                mount(PodParts.VOLUME_OUT, PodParts.PATH_OUT, true),
                mount(PodParts.VOLUME_REDIS, PodParts.PATH_REDIS, true)));
        if (platform.history().isPresent()) {
            mounts.add(mount(PodParts.VOLUME_HISTORY, PodParts.PATH_HISTORY, true));
            mounts.add(mount(PodParts.VOLUME_WHOLE, PodParts.PATH_WHOLE, true));
        }
        return mounts;
    }

    private ContainerBuilder own(String name, PodSpec podSpec) {
        return new ContainerBuilder()
                .withName(name)
                .withImage(platform.workerImage())
                .withImagePullPolicy(platform.pullPolicy())
                .withSecurityContext(restricted(podSpec));
    }

    /**
     * Our images run as a user of their own, unless the template or the platform already names one that is not root.
     */
    private SecurityContext restricted(PodSpec podSpec) {
        PodSecurityContext pod = podSpec.getSecurityContext();
        boolean named = pod != null && pod.getRunAsUser() != null && pod.getRunAsUser() != 0;
        SecurityContextBuilder context = new SecurityContextBuilder()
                .withAllowPrivilegeEscalation(false)
                .withReadOnlyRootFilesystem(true)
                .withRunAsNonRoot(true)
                .withNewCapabilities()
                .withDrop("ALL")
                .endCapabilities()
                .withNewSeccompProfile()
                .withType("RuntimeDefault")
                .endSeccompProfile();
        return (named || platform.platformAssignsIds() ? context : context.withRunAsUser(PodPlatform.OWN_ID)).build();
    }

    private List<EnvVar> environment(WorkerPool pool, Keyspace keyspace) {
        WorkerPoolSpec spec = pool.getSpec();
        List<EnvVar> variables = new ArrayList<>(List.of(
                value("QUIVER_POOL", pool.getMetadata().getName()),
                value("QUIVER_POOL_UID", pool.getMetadata().getUid()),
                field("QUIVER_POD_NAME", "metadata.name"),
                field("QUIVER_POD_UID", "metadata.uid"),
                field("QUIVER_NODE", "spec.nodeName"),
                value("QUIVER_KEYSPACE_PREFIX", keyspace.prefix()),
                value("QUIVER_SLOTS", spec.slots().count()),
                value("QUIVER_INPUT_BYTES", spec.slots().inputBytes()),
                value("QUIVER_OUTPUT_BYTES", spec.slots().outputBytes()),
                value("QUIVER_DRAIN_SECONDS", spec.drainSeconds())));
        platform.history().ifPresent(history -> {
            variables.add(value("QUIVER_HISTORY_URL", history.address()));
            variables.add(value("QUIVER_WHOLE", PodParts.PATH_WHOLE));
            variables.add(value("QUIVER_HISTORY_TOKEN", PodParts.PATH_HISTORY + "/token"));
            history.authorities()
                    .ifPresent(file -> variables.add(
                            value("QUIVER_HISTORY_CA", PodParts.PATH_REDIS + "/" + Quiver.HISTORY_AUTHORITIES)));
        });
        return variables;
    }

    static EnvVar value(String name, Object value) {
        return new EnvVarBuilder().withName(name).withValue(value.toString()).build();
    }

    static EnvVar field(String name, String path) {
        return new EnvVarBuilder()
                .withName(name)
                .withNewValueFrom()
                .withNewFieldRef()
                .withFieldPath(path)
                .endFieldRef()
                .endValueFrom()
                .build();
    }

    static VolumeMount mount(String volume, String path, boolean readOnly) {
        return new VolumeMountBuilder()
                .withName(volume)
                .withMountPath(path)
                .withReadOnly(readOnly ? Boolean.TRUE : null)
                .build();
    }

    private static Probe probe(String path, int periodSeconds, int failures, int timeoutSeconds) {
        return new ProbeBuilder()
                .withNewHttpGet()
                .withPath(path)
                .withPort(new IntOrString(PodParts.HTTP_PORT))
                .endHttpGet()
                .withPeriodSeconds(periodSeconds)
                .withTimeoutSeconds(timeoutSeconds)
                .withFailureThreshold(failures)
                .build();
    }
}
