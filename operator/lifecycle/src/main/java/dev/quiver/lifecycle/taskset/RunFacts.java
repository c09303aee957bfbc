package dev.quiver.lifecycle.taskset;

/**
 * What a run's environment tells about where it runs.
 *
 * @param trial the run's number, from 1
 * @param slot its slot
 * @param podName its pod
 * @param inputPath of its input, in the container
 * @param outputPath of its output, in the container
 * @param inputBytes of the slot's input, into which all of the invocation must fit
 */
public record RunFacts(int trial, int slot, String podName, String inputPath, String outputPath, long inputBytes) {}
