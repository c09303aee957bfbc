package dev.quiver.lifecycle.mapreduce;

import java.util.Optional;

import dev.quiver.lifecycle.task.model.TreeReport;

/**
 * A job at one moment; its chunks are of a moment later.
 *
 * @param tree map, chunks and reduce as nodes
 * @param chunks absent before they began, and where none did
 */
public record JobSnapshot(TreeReport tree, Optional<ChunkCounts> chunks) {}
