/** Names of trees, nodes and pools, the Redis keys of all Tasks, and the scripts that take them. */
package dev.quiver.lifecycle.task.keys;
