package dev.quiver.controller.mapreduce;

import java.util.Optional;

import dev.quiver.controller.tree.ObservedTree;
import dev.quiver.lifecycle.mapreduce.ChunkCounts;

/**
 * A job in Redis.
 *
 * @param chunks absent before they began, and where none did
 */
record ObservedJob(ObservedTree tree, Optional<ChunkCounts> chunks) {}
