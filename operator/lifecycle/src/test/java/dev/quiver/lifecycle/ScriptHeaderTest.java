package dev.quiver.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.quiver.lifecycle.history.stream.HistoryScripts;
import dev.quiver.lifecycle.keyspace.KeyspaceScripts;
import dev.quiver.lifecycle.mapreduce.JobScripts;
import dev.quiver.lifecycle.ordinals.OrdinalScripts;
import dev.quiver.lifecycle.redis.Script;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.task.keys.ChunkScripts;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.taskset.TaskSetScripts;
import dev.quiver.lifecycle.wires.idoit.IdoitScripts;
import dev.quiver.lifecycle.wires.queue.QueueScripts;
import dev.quiver.lifecycle.worker.WorkerScripts;

class ScriptHeaderTest {

    private static final Pattern FIELDS = Pattern.compile("(?m)^-- FIELDS (\\w+): (.*(?:\n--   .*)*)$");
    private static final Pattern USES = Pattern.compile("(?m)^-- USES ([\\w/ ]+)$");

    private static final String RANGE = "(empty or )?-?\\d+\\.\\.\\d+; ";

    static Stream<Script> scripts() {
        return Stream.of(
                        KeyspaceScripts.ALL,
                        WorkerScripts.ALL,
                        OrdinalScripts.ALL,
                        TaskSetScripts.ALL,
                        TaskScripts.ALL,
                        ChunkScripts.ALL,
                        JobScripts.ALL,
                        IdoitScripts.ALL,
                        QueueScripts.ALL,
                        HistoryScripts.ALL)
                .flatMap(List::stream);
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void declaresExactlyTheKeysItUses(Script script) {
        assertThat(used("key_", script)).isEqualTo(declared(script.keys(), script.restKey()));
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void declaresExactlyTheArgumentsItUses(Script script) {
        assertThat(used("arg_", script)).isEqualTo(declared(script.arguments(), script.restArgument()));
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void buildsNoKeyAndReadsNoPositionByNumber(Script script) {
        String body = body(script);
        assertThat(body).doesNotContainPattern("KEYS\\[\\d").doesNotContainPattern("ARGV\\[\\d");
        assertThat(body).doesNotContain("'quiver:").doesNotContain("taskset:");
        assertThat(script.name().startsWith("ordinals/") ? body : "").doesNotContainPattern("\\bh\\[\\d");
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void usesEveryFieldThatItReads(Script script) {
        String code = body(script);
        Matcher fields = FIELDS.matcher(text(script.name()));
        while (fields.find()) {
            assertThat(script.keys()).contains(fields.group(1));
            assertThat(fields.group(2).replaceAll("\\n--|numbers:", "").split("[,\\s]+"))
                    .allSatisfy(name -> assertThat(code).containsPattern("\\b" + name + "\\b"));
        }
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void returnsWhatItsHeaderSays(Script script) {
        String source = text(script.name());
        Matcher header = Pattern.compile("-- RETURNS (.*(?:\n--   .*)*)").matcher(source);
        assertThat(header.find()).as("a RETURNS line").isTrue();
        assertThat(codes(body(script))).isEqualTo(codes(header.group(1)));
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void saysItsPurposeAndItsGuarantee(Script script) {
        String text = text(script.name());
        assertThat(text).startsWith("-- ");
        assertThat(text.split("-- (KEYS|ARGV) ", 2)[0]).contains("Guarantee: ").contains("-- FLAGS");
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void saysWhoCallsIt(Script script) {
        assertThat(text(script.name())).containsPattern("(?m)^-- FOR \\w+(, \\w+)*$");
        assertThat(script.roles()).isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void usesModulesOfAForeignWireOnlyWithinIt(Script script) {
        Set<String> parts = new LinkedHashSet<>();
        collect(script.name(), parts);
        for (String wire : List.of("idoit/", "queue/")) {
            if (!script.name().startsWith(wire)) {
                assertThat(parts).noneMatch(part -> part.startsWith("include/" + wire));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void boundsEachNumberAndHowManyArgumentsThereAre(Script script) {
        String header = headers(script);
        script.restKey()
                .ifPresent(rest -> assertThat(header).containsPattern("-- KEYS " + rest + "\\.\\.\\.: " + RANGE));
        script.restArgument()
                .ifPresent(rest -> assertThat(header).containsPattern("-- ARGV " + rest + "\\.\\.\\.: " + RANGE));
        Matcher numbers =
                Pattern.compile("tonumber\\(arg_(\\w+)\\)|[-+*/] arg_(\\w+)").matcher(body(script));
        while (numbers.find()) {
            String name = numbers.group(1) == null ? numbers.group(2) : numbers.group(1);
            if (script.arguments().contains(name)) {
                assertThat(header).containsPattern("-- ARGV " + name + ": " + RANGE);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void readsTheClockAtMostOnce(Script script) {
        assertThat(script.source().split("call\\('TIME'\\)", -1).length - 1).isLessThanOrEqualTo(1);
    }

    @Test
    void sharedFilesAreModulesAndNoFilePastesAnother() throws URISyntaxException, IOException {
        Path lua = Path.of(Script.class.getResource("/dev/quiver/lifecycle/lua").toURI());
        try (Stream<Path> files = Files.walk(lua)) {
            assertThat(files.map(file -> lua.relativize(file).toString()).filter(name -> name.endsWith(".lua")))
                    .allSatisfy(name -> {
                        String text = text(name.replace(".lua", ""));
                        assertThat(text).doesNotContain("-- INCLUDE");
                        assertThat(text.contains("\n-- MODULE ")).as(name).isEqualTo(name.startsWith("include/"));
                    });
        }
    }

    @Test
    void namesEachModuleThatItCallsAndHidesNone() throws URISyntaxException, IOException {
        Path lua = Path.of(Script.class.getResource("/dev/quiver/lifecycle/lua").toURI());
        try (Stream<Path> files = Files.walk(lua)) {
            Map<String, String> texts = files.map(
                            file -> lua.relativize(file).toString().replace(".lua", ""))
                    .filter(name -> Files.isRegularFile(lua.resolve(name + ".lua")))
                    .collect(Collectors.toMap(name -> name, ScriptHeaderTest::text));
            Map<String, String> functions = new TreeMap<>(); // queue.enqueue to task/queue
            texts.forEach((name, text) -> Pattern.compile("(?m)^function (\\w+\\.\\w+)\\(")
                    .matcher(text)
                    .results()
                    .forEach(found -> functions.put(found.group(1), name.replaceFirst("^include/", ""))));
            Map<String, String> constants = new TreeMap<>(); // settling.PASSED to worker/settling
            texts.forEach((name, text) -> Pattern.compile("(?m)^(?:\\w+\\.[A-Z_]+(?:, )?)+ = ")
                    .matcher(text)
                    .results()
                    .flatMap(line -> Stream.of(line.group().replace(" = ", "").split(", ")))
                    .forEach(constant -> constants.put(constant, name.replaceFirst("^include/", ""))));
            assertThat(constants).containsKeys("settling.PASSED", "nodes.RESTART");
            assertThat(texts).allSatisfy((name, text) -> {
                Set<String> uses = USES.matcher(text)
                        .results()
                        .flatMap(line -> Stream.of(line.group(1).split(" ")))
                        .collect(Collectors.toSet());
                uses.add(name.replaceFirst("^include/", ""));
                String code = text.replaceAll("--.*", "").replaceAll("'(?:\\\\.|[^'\\\\\n])*'", "''");
                constants.forEach((constant, module) -> {
                    if (Pattern.compile("(?<![\\w.])" + Pattern.quote(constant) + "\\b")
                            .matcher(code)
                            .find()) {
                        assertThat(uses).as(name + " reads " + constant).contains(module);
                    }
                });
                functions.forEach((function, module) -> {
                    if (Pattern.compile("(?<![\\w.])" + Pattern.quote(function) + "\\(")
                            .matcher(code)
                            .find()) {
                        assertThat(uses).as(name + " calls " + function).contains(module);
                        assertThat(code)
                                .doesNotContainPattern("\\blocal (?:\\w+, )*" + function.split("\\.")[0] + "\\b");
                    }
                });
            });
        }
    }

    @Test
    void everyFileIsListed() throws URISyntaxException, IOException {
        Path lua = Path.of(Script.class.getResource("/dev/quiver/lifecycle/lua").toURI());
        try (Stream<Path> files = Files.walk(lua)) {
            Set<String> names = files.map(file -> lua.relativize(file).toString())
                    .filter(name -> name.endsWith(".lua") && !name.startsWith("include/"))
                    .map(name -> name.replace(".lua", ""))
                    .collect(Collectors.toSet());
            assertThat(Stream.concat(scripts(), Lifecycle.ADAPTERS.stream()).map(Script::name))
                    .containsExactlyInAnyOrderElementsOf(names);
        }
    }

    private static Set<String> declared(List<String> names, java.util.Optional<String> rest) {
        Set<String> all = new TreeSet<>(names);
        rest.ifPresent(all::add);
        return all;
    }

    private static Set<String> used(String prefix, Script script) {
        Matcher matcher = Pattern.compile("\\b" + prefix + "(\\w+)").matcher(body(script));
        Set<String> names = new TreeSet<>();
        while (matcher.find()) {
            names.add(matcher.group(1));
        }
        return names;
    }

    private static Set<String> codes(String text) {
        Set<String> all = Arrays.stream(ScriptCode.values()).map(Enum::name).collect(Collectors.toSet());
        Matcher matcher = Pattern.compile("\\{([A-Z_]+)\\b").matcher(text);
        Set<String> found = new TreeSet<>();
        while (matcher.find()) {
            if (all.contains(matcher.group(1))) {
                found.add(matcher.group(1));
            }
        }
        return found;
    }

    /** The texts of a script and of all that it uses. */
    private static String headers(Script script) {
        Set<String> parts = new LinkedHashSet<>();
        collect(script.name(), parts);
        return parts.stream().map(ScriptHeaderTest::text).collect(Collectors.joining("\n"));
    }

    /** The code of a script and its includes, comments left out. */
    private static String body(Script script) {
        return headers(script)
                .lines()
                .map(line -> line.replaceFirst("^-- FIELDS (\\w+):.*", "key_$1").replaceFirst("--.*", ""))
                .collect(Collectors.joining("\n"));
    }

    private static void collect(String name, Set<String> parts) {
        Matcher includes = USES.matcher(text(name));
        if (parts.add(name)) {
            while (includes.find()) {
                for (String included : includes.group(1).split(" ")) {
                    collect("include/" + included, parts);
                }
            }
        }
    }

    private static String text(String name) {
        try (var in = Script.class.getResourceAsStream("/dev/quiver/lifecycle/lua/" + name + ".lua")) {
            return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
