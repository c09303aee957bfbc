package dev.quiver.lifecycle.execution;

/**
 * The facts about a slot that a task finds in its environment.
 *
 * @param slot number of the slot
 * @param podName name of the pod
 * @param inputPath of the file in which a command finds its input, in the container
 * @param outputPath of the slot's output, in the container
 * @param inputBytes size of the slot's input, into which all of the invocation must fit
 */
public record SlotFacts(int slot, String podName, String inputPath, String outputPath, long inputBytes) {}
