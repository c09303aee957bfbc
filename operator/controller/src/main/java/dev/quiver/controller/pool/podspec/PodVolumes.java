package dev.quiver.controller.pool.podspec;

import java.util.List;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;

import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.slots.Geometry;

/**
 * The volumes between the containers. Those in memory have exact sums as their sizes, so a process that fills one gets
 * ENOSPC and takes no further memory of the pod. Pure.
 */
final class PodVolumes {

    private static final Quantity AGENT_SIZE = new Quantity("8Mi");

    /** History knows it, too. */
    private static final String HISTORY_AUDIENCE = "write.history.quiver.dev";

    /** Kubelet renews it long before. */
    private static final long TOKEN_SECONDS = 3600;

    private PodVolumes() {}

    static List<Volume> of(Geometry geometry) {
        return List.of(
                memory(PodParts.VOLUME_AGENT, AGENT_SIZE),
                memory(PodParts.VOLUME_IN, bytes(geometry.inVolumeBytes())),
                memory(PodParts.VOLUME_OUT, bytes(geometry.outVolumeBytes())),
                new VolumeBuilder()
                        .withName(PodParts.VOLUME_REDIS)
                        .withNewSecret()
                        .withSecretName(Quiver.REDIS_SECRET)
                        .withDefaultMode(0440)
                        .endSecret()
                        .build());
    }

    /**
     * A disk, for all that tasks print: where a run asks for that, it may be a gigabyte. It has no size, since kubelet
     * evicts a pod that exceeds one.
     */
    static Volume whole() {
        return new VolumeBuilder()
                .withName(PodParts.VOLUME_WHOLE)
                .withNewEmptyDir()
                .endEmptyDir()
                .build();
    }

    /** A token for bringing packs, of this pod and for history alone. Only the supervisor mounts it. */
    static Volume historyToken() {
        return new VolumeBuilder()
                .withName(PodParts.VOLUME_HISTORY)
                .withNewProjected()
                .withDefaultMode(0440)
                .addNewSource()
                .withNewServiceAccountToken()
                .withAudience(HISTORY_AUDIENCE)
                .withExpirationSeconds(TOKEN_SECONDS)
                .withPath("token")
                .endServiceAccountToken()
                .endSource()
                .endProjected()
                .build();
    }

    private static Volume memory(String name, Quantity size) {
        return new VolumeBuilder()
                .withName(name)
                .withNewEmptyDir()
                .withMedium("Memory")
                .withSizeLimit(size)
                .endEmptyDir()
                .build();
    }

    private static Quantity bytes(long bytes) {
        return new Quantity(Long.toString(bytes));
    }
}
