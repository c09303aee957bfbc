package dev.quiver.lifecycle.taskset;

import java.util.Map;

/**
 * What a run's environment tells about where it runs.
 *
 * @param trial the run's number, from 1
 * @param slot its slot
 * @param podName its pod
 * @param inputPath of its input, in the container
 * @param outputPath of its output, in the container
 * @param containerEnv what is known of the container's own environment: {@code $(NAME)} can refer to it; not repeated in
 *     the invocation
 */
public record RunFacts(
        int trial, int slot, String podName, String inputPath, String outputPath, Map<String, String> containerEnv) {}
