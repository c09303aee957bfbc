package dev.quiver.e2e.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import dev.quiver.e2e.cluster.Repository;

/**
 * No test went without a successor. {@code tests/before.txt} lists the tests of one day, {@code tests/renamed.txt} those
 * of them that have another name today.
 */
class TestsKeptTest {

    private static final Map<String, Pattern> TEST = Map.of(
            "java",
            Pattern.compile("@(?:Test|ParameterizedTest|RepeatedTest)\\b[\\s\\S]*?\\bvoid\\s+(\\w+)\\s*\\("),
            "py",
            Pattern.compile("(?m)^\\s*def (test_\\w+)\\("));

    private final Map<String, String> renamed = lines("renamed.txt")
            .map(line -> line.split(" "))
            .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));

    private static Stream<String> lines(String resource) {
        Path file = Repository.root().resolve("e2e/src/test/resources/tests").resolve(resource);
        try {
            return Files.readAllLines(file).stream().filter(line -> !line.isBlank() && !line.startsWith("#"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String today(String type, String test) {
        return renamed.getOrDefault(type + "." + test, renamed.getOrDefault(type, type) + "." + test);
    }

    @Test
    void eachTestOfBeforeIsHereOrHasASuccessor() throws IOException {
        Set<String> here = new TreeSet<>();
        for (Path source : Sources.of(Repository.root(), ".java", ".py")) {
            String[] name = source.getFileName().toString().split("\\.");
            TEST.get(name[1])
                    .matcher(Files.readString(source))
                    .results()
                    .forEach(found -> here.add(name[0] + "." + found.group(1)));
        }
        List<String> before = lines("before.txt")
                .map(line -> line.split(" "))
                .flatMap(line -> Stream.of(line).skip(1).map(test -> today(line[0], test)))
                .toList();
        assertThat(before).hasSizeGreaterThan(900);
        assertThat(here).containsAll(before);
        assertThat(renamed.keySet())
                .as("a name that is in use again needs no successor")
                .noneMatch(here::contains);
    }
}
