package dev.quiver.controller.reconcile;

import java.time.Clock;

import io.fabric8.kubernetes.client.KubernetesClient;

import dev.quiver.controller.store.KeyspaceRecords;
import dev.quiver.controller.store.Store;

/**
 * Everything that each reconciler acts on, whatever its kind: made once, passed by constructor.
 *
 * @param kubernetes the API server
 * @param store Redis
 * @param records of keyspaces, kept in ConfigMaps beside Redis
 * @param gate when a deleted resource's finalizer goes
 */
public record ControllerContext(
        KubernetesClient kubernetes, Store store, KeyspaceRecords records, FinalizerGate gate, Clock clock) {}
