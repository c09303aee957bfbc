/** Changes to the order of the waiting Tasks of a pool: boosts of tags, ageing, fairness. */
package dev.quiver.lifecycle.task.scheduling;
