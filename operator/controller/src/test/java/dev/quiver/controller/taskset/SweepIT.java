package dev.quiver.controller.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.controller.kube.LeanObjects;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.store.KeyOwners;
import dev.quiver.controller.store.Sweep;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** The sweep reads the resources of a namespace in pages, and takes none of a later page for gone. */
@ExtendWith(ApiServer.class)
class SweepIT {

    private final Set<String> inRedis = new LinkedHashSet<>();
    private final List<String> dropped = new ArrayList<>();
    private final List<String> told = new ArrayList<>();

    private final class Sets implements KeyOwners {

        @Override
        public List<Class<? extends CustomResource<?, ?>>> types() {
            return List.of(TaskSet.class);
        }

        @Override
        public Set<String> present(Keyspace keyspace) {
            return inRedis;
        }

        @Override
        public void drop(Keyspace keyspace, String uid) {
            dropped.add(uid);
        }
    }

    @Test
    void onlyKeysOfResourcesThatAreGoneAreRemoved(KubernetesClient client) {
        for (int i = 0; i <= LeanObjects.PAGE; i++) {
            inRedis.add(client.resource(Samples.set("set-" + i, Samples.counted(1)))
                    .create()
                    .getMetadata()
                    .getUid());
        }
        inRedis.add("gone");
        Sweep sweep = new Sweep(List.of(new Sets()), client, (_, uids) -> told.addAll(uids));
        assertThat(sweep.of(Keyspace.ofNamespace(client.getNamespace()))).isEqualTo(Sweep.Remaining.OWNED);
        assertThat(dropped).containsExactly("gone");
        assertThat(told).containsExactly("gone");
    }
}
