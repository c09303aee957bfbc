package dev.quiver.bench.quiver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import dev.quiver.bench.ContentCache;
import dev.quiver.bench.Lab;
import dev.quiver.bench.MissingPartException;

/** The agent with the command left out, built from the agent's sources and {@code e2e/bench/executor}. */
public final class NoopExecutor {

    private NoopExecutor() {}

    /** The program, built when its sources changed; {@code noop.c} lists the variables that it reads. */
    public static ExecutorProgram with(Lab lab, Map<String, String> environment) throws Exception {
        Path agent = lab.repository().resolve("worker-image/agent");
        Path noop = lab.repository().resolve("e2e/bench/executor/noop.c");
        List<Path> sources = new ArrayList<>(List.of(noop));
        List<Path> headers = new ArrayList<>();
        for (String folder : List.of("src", "include/quiver")) {
            try (Stream<Path> files = Files.list(agent.resolve(folder))) {
                for (Path file : files.sorted().toList()) {
                    (file.toString().endsWith(".c") ? sources : headers).add(file);
                }
            }
        }
        sources.removeIf(file -> file.endsWith("main.c"));
        List<Path> all = new ArrayList<>(sources);
        all.addAll(headers);
        Path built = ContentCache.of(lab, "noop-executor", all, folder -> compile(agent, sources, folder))
                .resolve("noop-executor");
        return new ExecutorProgram(List.of(built.toString(), "run"), environment);
    }

    private static void compile(Path agent, List<Path> sources, Path folder) throws Exception {
        List<String> command = new ArrayList<>(List.of("cc", "-std=c11", "-O2", "-o", "noop-executor"));
        command.add("-I" + agent.resolve("include"));
        command.add("-I" + agent.resolve("src"));
        sources.forEach(source -> command.add(source.toString()));
        try {
            ContentCache.run(folder, command);
        } catch (IOException failure) {
            if (Stream.of(System.getenv("PATH").split(":")).noneMatch(bin -> Files.isExecutable(Path.of(bin, "cc")))) {
                throw new MissingPartException("a C compiler is not installed (Debian: apt-get install gcc libc6-dev)");
            }
            throw failure;
        }
    }
}
