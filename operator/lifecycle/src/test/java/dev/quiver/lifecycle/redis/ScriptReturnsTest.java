package dev.quiver.lifecycle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The names by which scripts return values: the headers, the lists that Lua builds, and the names that Java reads. */
class ScriptReturnsTest {

    private static final Path JAVA = Path.of("src/main/java");
    private static final Pattern READ =
            Pattern.compile("\\.(?:number|count|flag|text|texts|numbers|rows|rest)\\(\"([a-z_]+)\"\\)");
    private static final Pattern CALLED = Pattern.compile("\\b[A-Z][a-z]\\w*Scripts\\.([A-Z_]+)\\b");
    private static final String CODES =
            Arrays.stream(ScriptCode.values()).map(Enum::name).collect(Collectors.joining("|"));
    private static final Pattern BUILT = Pattern.compile("\\{(" + CODES + ")(?=[,}])");

    static List<Script> scripts() throws IOException, URISyntaxException {
        Path lua = Path.of(Script.class.getResource("/dev/quiver/lifecycle/lua").toURI());
        try (Stream<Path> files = Files.walk(lua)) {
            return files.map(file -> lua.relativize(file).toString())
                    .filter(name -> name.endsWith(".lua") && !name.startsWith("include/"))
                    .map(name -> Script.of(name.replace(".lua", "")))
                    .toList();
        }
    }

    private static ScriptReply reply(String returns, Object... values) {
        return new ScriptReply(ScriptReturns.of("s", returns), Arrays.asList(values));
    }

    @Test
    void valuesAreReadByTheirNames() {
        ScriptReply reply = reply("{OK, now: in ms, who, over: 0 or 1} | {GONE}", 0L, 7L, "x", 1L);
        assertThat(reply.code()).isEqualTo(ScriptCode.OK);
        assertThat(reply.number("now")).isEqualTo(7);
        assertThat(reply.text("who")).isEqualTo("x");
        assertThat(reply.flag("over")).isTrue();
    }

    @Test
    void listsAreReadByTheirNamesWhereverTheyStand() {
        ScriptReply reply = reply(
                "{OK, now, ids[], pairs[](id, size), rest...(name, of)}",
                0L,
                7L,
                2L,
                "a",
                "b",
                1L,
                "c",
                9L,
                "d",
                "e",
                "f",
                "g");
        assertThat(reply.texts("ids")).containsExactly("a", "b");
        assertThat(reply.rows("pairs"))
                .singleElement()
                .satisfies(row -> assertThat(row.text("id") + row.count("size")).isEqualTo("c9"));
        assertThat(reply.rows("rest").stream().map(row -> row.text("of"))).containsExactly("e", "g");
    }

    @Test
    void aNewValueBehindTheLastOneMovesNoOther() {
        ScriptReply before = reply("{OK, now, ids...}", 0L, 7L, "a", "b");
        ScriptReply after = reply("{OK, now, epoch, ids...}", 0L, 7L, 3L, "a", "b");
        assertThat(after.number("now")).isEqualTo(before.number("now"));
        assertThat(after.texts("ids")).isEqualTo(before.texts("ids"));
        assertThat(after.number("epoch")).isEqualTo(3);
    }

    @Test
    void aNameThatTheFormLacksIsRefused() {
        ScriptReply reply = reply("{OK, now} | {GAP, known}", 6L, 3L);
        assertThat(reply.number("known")).isEqualTo(3);
        assertThatThrownBy(() -> reply.number("now")).hasMessage("s answers GAP without \"now\"");
        assertThatThrownBy(() -> reply.texts("ids")).hasMessage("s answers GAP without \"ids\"");
    }

    @Test
    void aReplyAgainstTheHeaderIsRefused() {
        assertThatThrownBy(() -> reply("{OK, now, who}", 0L, 7L)).hasMessageContaining("OK with 1 values against");
        assertThatThrownBy(() -> reply("{OK}", 2L)).hasMessageContaining("GONE with 0 values against");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{OK, ids..., now}; now",
                "{OK, ids[], now}; now",
                "{OK, ids..., others...}; others...",
                "{OK, now(a)}; now(a)",
                "{OK, (id, place)...}; (id, place)...",
                "{OK, two words}; two words",
                "{OK, now, now}; two elements called now",
                "{OK, rows...(id, id)}; two fields called id",
                "{OK} | {OK, now}; in two forms",
                "nothing; does not say"
            })
    void aFormThatCannotBeReadIsRefused(String returns, String words) {
        assertThatThrownBy(() -> ScriptReturns.of("s", returns)).hasMessageContaining(words);
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void eachScriptSaysWhatItReturns(Script script) {
        assertThat(script.returns().forms()).isNotEmpty();
    }

    /** Lists of a form may follow later, and values may not. */
    @ParameterizedTest
    @MethodSource("scripts")
    void luaBuildsWhatTheHeaderSays(Script script) {
        String text = script.source().replaceAll("--.*", "");
        Matcher built = BUILT.matcher(text);
        while (built.find()) {
            ScriptReturns.Form form = script.returns().forms().get(ScriptCode.valueOf(built.group(1)));
            int elements = elements(text, built.start());
            String list = text.substring(built.start(), text.indexOf('\n', built.start()));
            assertThat(form).as(list).isNotNull();
            if (form.lists().isEmpty()) {
                assertThat(elements).as(list).isEqualTo(form.end());
            } else {
                assertThat(elements).as(list).isGreaterThanOrEqualTo(form.end());
            }
        }
    }

    /** How many elements the list has that begins here. */
    private static int elements(String text, int from) {
        int depth = 0;
        int commas = 0;
        boolean quoted = false;
        for (int at = from; ; at++) {
            char letter = text.charAt(at);
            if (letter == '\'') {
                quoted = !quoted;
            } else if (!quoted && "{([".indexOf(letter) >= 0) {
                depth++;
            } else if (!quoted && "})]".indexOf(letter) >= 0 && --depth == 0) {
                return commas + 1;
            } else if (!quoted && letter == ',' && depth == 1) {
                commas++;
            }
        }
    }

    /** A file reads answers of scripts that its package names. */
    @Test
    void javaReadsNamesThatAreThere() throws IOException, URISyntaxException {
        Map<String, Set<String>> names = new TreeMap<>(); // of scripts, by the constant's name
        for (Script script : scripts()) {
            Set<String> its = names.computeIfAbsent(constant(script.name()), first -> new TreeSet<>());
            script.returns().forms().values().forEach(form -> {
                its.addAll(form.values().keySet());
                form.lists().forEach(list -> {
                    its.add(list.name());
                    its.addAll(list.fields().keySet());
                });
            });
        }
        Map<Path, String> texts = texts();
        Map<Path, Set<String>> ofPackage = new TreeMap<>();
        texts.forEach((file, text) -> CALLED.matcher(text)
                .results()
                .forEach(call -> ofPackage
                        .computeIfAbsent(file.getParent(), first -> new TreeSet<>())
                        .addAll(names.getOrDefault(call.group(1), Set.of()))));
        texts.forEach((file, text) -> {
            if (text.contains("ScriptReply") && !file.startsWith(JAVA.resolve("dev/quiver/lifecycle/redis"))) {
                boolean given = text.contains("Script script") || text.contains("Supplier<ScriptReply>");
                Set<String> there = given
                        ? all(names) // it reads what several scripts have
                        : ofPackage.getOrDefault(file.getParent(), all(names));
                READ.matcher(text)
                        .results()
                        .forEach(read -> assertThat(there).as("%s", file).contains(read.group(1)));
            }
        });
    }

    private static Set<String> all(Map<String, Set<String>> names) {
        return names.values().stream().flatMap(Set::stream).collect(Collectors.toSet());
    }

    private static String constant(String script) {
        return script.substring(script.indexOf('/') + 1).toUpperCase(java.util.Locale.ROOT);
    }

    private static Map<Path, String> texts() throws IOException {
        try (Stream<Path> files = Files.walk(JAVA)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .collect(Collectors.toMap(file -> file, ScriptReturnsTest::text));
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
