package dev.quiver.bench.quiver;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.quiver.bench.ContentCache;
import dev.quiver.bench.Lab;

/** Handlers in C, from {@code e2e/bench/handlers} with libquiver's sources linked in. */
public final class NoopHandler {

    /** The function that it serves. */
    public static final String FUNCTION = "noop";

    /** The parts of libquiver, as the agent's Makefile names them: a part that it gains is linked in here too. */
    private static final Pattern PARTS = Pattern.compile("(?m)^(?:CORE|HANDLER) := (.+)$");

    private NoopHandler() {}

    /** The one that does nothing, {@code touch.c}; the word {@code handler} makes it one. */
    public static Path built(Lab lab) throws Exception {
        return built(lab, "touch");
    }

    /** The program of {@code name.c}, built when its sources changed. */
    public static Path built(Lab lab, String name) throws Exception {
        Path agent = lab.repository().resolve("worker-image/agent");
        List<Path> sources = new ArrayList<>(List.of(lab.repository().resolve("e2e/bench/handlers/" + name + ".c")));
        PARTS.matcher(Files.readString(agent.resolve("Makefile")))
                .results()
                .flatMap(line -> Stream.of(line.group(1).split(" ")))
                .forEach(part -> sources.add(agent.resolve("src/" + part + ".c")));
        List<Path> all = new ArrayList<>(sources);
        for (String folder : List.of("src", "include/quiver")) {
            try (Stream<Path> files = Files.list(agent.resolve(folder))) {
                files.filter(file -> file.toString().endsWith(".h")).sorted().forEach(all::add);
            }
        }
        Path built = ContentCache.of(lab, name, all, folder -> {
            List<String> command = new ArrayList<>(List.of("cc", "-std=gnu11", "-O2", "-o", name));
            command.add("-I" + agent.resolve("include"));
            command.add("-I" + agent.resolve("src"));
            sources.forEach(source -> command.add(source.toString()));
            ContentCache.run(folder, command);
        });
        return built.resolve(name);
    }
}
