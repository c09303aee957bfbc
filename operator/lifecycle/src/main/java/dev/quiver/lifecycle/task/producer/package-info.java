/** Trees in batches, from programs that create very many. */
package dev.quiver.lifecycle.task.producer;
