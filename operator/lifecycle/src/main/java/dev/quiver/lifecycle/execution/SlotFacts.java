package dev.quiver.lifecycle.execution;

/**
 * What a task's environment tells about where it runs.
 *
 * @param slot its slot
 * @param podName its pod
 * @param inputPath of its input, in the container
 * @param outputPath of its output, in the container
 * @param inputBytes of the slot's input, into which all of the invocation must fit
 */
public record SlotFacts(int slot, String podName, String inputPath, String outputPath, long inputBytes) {}
