/** Programs create tasks, wait for them and read their results: {@link dev.quiver.client.QuiverClient} is the entrance. */
package dev.quiver.client;
