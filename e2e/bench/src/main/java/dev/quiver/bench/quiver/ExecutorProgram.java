package dev.quiver.bench.quiver;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.quiver.bench.ContentCache;
import dev.quiver.bench.Lab;
import dev.quiver.bench.MissingPartException;

/**
 * The program in the place of a worker's container: the agent, or a substitute.
 *
 * @param command program and words
 * @param environment added to the variables that name the slots
 */
public record ExecutorProgram(List<String> command, Map<String, String> environment) {

    /** Copies both. */
    public ExecutorProgram {
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
    }

    /** The agent with this handler in each slot. */
    public static ExecutorProgram withHandlers(Path agent, List<String> handler, Map<String, String> environment) {
        List<String> command = new ArrayList<>(List.of(agent.toString(), "run", "--"));
        command.addAll(handler);
        return new ExecutorProgram(command, environment);
    }

    /** The agent itself, with libquiver beside it, made by their own Makefile. */
    public static Path agent(Lab lab) throws Exception {
        Path folder = lab.repository().resolve("worker-image/agent");
        try {
            ContentCache.run(folder, List.of("make", "-s"));
        } catch (IOException failure) {
            throw new MissingPartException("the agent cannot be built: " + failure.getMessage());
        }
        return folder.resolve("build/quiver-agent");
    }
}
