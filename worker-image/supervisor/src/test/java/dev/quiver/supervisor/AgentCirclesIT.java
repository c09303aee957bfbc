package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.Circles;

/** The files of the agent, by the functions of each other that they call; {@code nm} reads them from what is compiled. */
class AgentCirclesIT {

    private static final Path BUILD = Path.of("../agent/build");
    private static final int MOST = 4;

    @Test
    void noCircleIsLargerThanAHandful() throws IOException, InterruptedException {
        Map<String, String> home = new HashMap<>();
        Map<String, Set<String>> wanted = new HashMap<>();
        for (Path object : objects()) {
            String file = object.getFileName().toString().replace(".o", "");
            for (String[] symbol : symbols(object)) {
                if (symbol.length == 2) {
                    wanted.computeIfAbsent(file, _ -> new HashSet<>()).add(symbol[1]);
                } else {
                    home.put(symbol[2], file);
                }
            }
        }
        Map<String, Set<String>> uses = new HashMap<>();
        home.values().forEach(file -> uses.put(file, new HashSet<>()));
        wanted.forEach((file, names) -> names.stream()
                .map(home::get)
                .filter(other -> other != null && !other.equals(file))
                .forEach(other ->
                        uses.computeIfAbsent(file, _ -> new HashSet<>()).add(other)));
        assertThat(uses).as("files with what they use").containsKeys("runner", "keeper", "say");
        assertThat(uses.get("keeper")).contains("say");
        assertThat(Circles.of(uses, MOST)).isEmpty();
    }

    private static List<Path> objects() throws IOException {
        try (Stream<Path> files = Files.list(BUILD)) {
            return files.filter(file -> file.toString().endsWith(".o")).toList();
        }
    }

    /** Type and name of what a file wants; address, type and name of what it has. */
    private static List<String[]> symbols(Path object) throws IOException, InterruptedException {
        Process nm = new ProcessBuilder("nm", "-g", object.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String text = new String(nm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(nm.waitFor()).as("nm of %s", object).isZero();
        return text.lines().map(line -> line.strip().split(" +")).toList();
    }
}
