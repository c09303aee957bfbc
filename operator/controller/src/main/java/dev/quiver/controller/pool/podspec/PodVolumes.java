package dev.quiver.controller.pool.podspec;

import java.util.List;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;

import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.slots.Geometry;

/**
 * The volumes between the containers. All are in memory: a disk emptyDir would keep the cluster autoscaler from
 * removing the node. The sizes are exact sums, so a process that fills one gets ENOSPC and takes no further memory of
 * the pod. Pure.
 */
final class PodVolumes {

    private static final Quantity AGENT_SIZE = new Quantity("8Mi");

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
