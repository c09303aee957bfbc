/** What moves the waiting Tasks of a pool: boosts of tags. */
package dev.quiver.lifecycle.task.scheduling;
