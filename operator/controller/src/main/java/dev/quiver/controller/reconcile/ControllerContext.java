package dev.quiver.controller.reconcile;

import java.time.Clock;

import io.fabric8.kubernetes.client.KubernetesClient;

import dev.quiver.controller.owner.NamespaceGate;
import dev.quiver.controller.store.KeyspaceRecords;
import dev.quiver.controller.store.RecordBacklogs;
import dev.quiver.controller.store.RunRecording;
import dev.quiver.controller.store.StoreCalls;
import dev.quiver.controller.store.StoreWatch;

/**
 * The parts that the reconcilers of all kinds use: made once, passed by constructor.
 *
 * @param kubernetes the API server
 * @param watch whether Redis can be used
 * @param calls to Redis
 * @param backlogs how far history is behind
 * @param recording whose runs are recorded
 * @param records of keyspaces, kept in ConfigMaps beside Redis
 * @param gate releases a deleted resource's finalizer
 * @param owners keeps out of namespaces that another installation serves
 */
public record ControllerContext(
        KubernetesClient kubernetes,
        StoreWatch watch,
        StoreCalls calls,
        RecordBacklogs backlogs,
        RunRecording recording,
        KeyspaceRecords records,
        FinalizerGate gate,
        NamespaceGate owners,
        Clock clock) {}
