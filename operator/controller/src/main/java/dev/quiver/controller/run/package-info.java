/**
 * The parts that all kinds of run share: a run is finite work of any kind. Changes in Redis, keyspace, pool, time of
 * the next reconcile, estimate of the end, Events.
 */
package dev.quiver.controller.run;
