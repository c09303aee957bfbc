/**
 * A kind: map-reduce jobs. A job is a tree of map, chunks and reduce, so {@code task} creates, steers and drops it; here it
 * is read for people.
 */
package dev.quiver.lifecycle.mapreduce;
