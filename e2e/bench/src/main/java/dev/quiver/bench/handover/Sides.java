package dev.quiver.bench.handover;

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
import dev.quiver.bench.process.Java;

/** The programs on the other side, built where that is needed. */
final class Sides {

    private static final List<String> CORE =
            List.of("words", "region", "packet", "command", "turn", "handler", "watch", "task");

    private Sides() {}

    static List<Side> all(Lab lab) throws Exception {
        return List.of(c(lab), java(), python(lab));
    }

    /** The agent and libquiver, made by their own Makefile. */
    static Path agent(Lab lab) throws Exception {
        Path folder = lab.repository().resolve("worker-image/agent");
        try {
            ContentCache.run(folder, List.of("make", "-s"));
        } catch (IOException failure) {
            throw new MissingPartException("the agent cannot be built: " + failure.getMessage());
        }
        return folder.resolve("build/quiver-agent");
    }

    private static Side c(Lab lab) throws Exception {
        Path agent = lab.repository().resolve("worker-image/agent");
        List<Path> sources = new ArrayList<>(List.of(lab.repository().resolve("e2e/bench/handlers/touch.c")));
        CORE.forEach(name -> sources.add(agent.resolve("src/" + name + ".c")));
        List<Path> all = new ArrayList<>(sources);
        for (String folder : List.of("src", "include/quiver")) {
            try (Stream<Path> files = Files.list(agent.resolve(folder))) {
                files.filter(file -> file.toString().endsWith(".h")).sorted().forEach(all::add);
            }
        }
        Path built = ContentCache.of(lab, "touch", all, folder -> {
            List<String> command = new ArrayList<>(List.of("cc", "-std=gnu11", "-O2", "-o", "touch"));
            command.add("-I" + agent.resolve("include"));
            command.add("-I" + agent.resolve("src"));
            sources.forEach(source -> command.add(source.toString()));
            ContentCache.run(folder, command);
        });
        return new Side("C", List.of(built.resolve("touch").toString()), Map.of(), false);
    }

    private static Side java() {
        List<String> flags = List.of(
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-XX:MaxDirectMemorySize=256m",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow");
        return new Side("Java", Java.command(JavaSide.class, flags, List.of()), Map.of(), true);
    }

    static Side python(Lab lab) throws Exception {
        Path sdk = lab.repository().resolve("worker-image/sdk/python");
        Process asked = new ProcessBuilder(sdk.resolve("environment").toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String python = new String(asked.getInputStream().readAllBytes()).strip();
        if (asked.waitFor() != 0) {
            throw new MissingPartException(
                    "Python with pyarrow cannot be made ready (Debian: apt-get install python3-venv)");
        }
        Path script = lab.repository().resolve("e2e/bench/handlers/touch.py");
        return new Side(
                "Python",
                List.of(python, script.toString()),
                Map.of("PYTHONPATH", sdk.resolve("src").toString(), "PYTHONDONTWRITEBYTECODE", "1"),
                true);
    }
}
