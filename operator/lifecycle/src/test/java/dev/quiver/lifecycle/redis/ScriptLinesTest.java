package dev.quiver.lifecycle.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

/** Each line of the library has its place in a file. */
class ScriptLinesTest {

    private static final String FAILURE = "ERR user_function:%d: attempt to index a nil value on @user_function:%1$d.";

    private static List<String> file(String name) {
        try (InputStream in = Script.class.getResourceAsStream("/dev/quiver/lifecycle/lua/" + name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void eachLineOfAFileIsFoundWhereItStands() throws IOException, URISyntaxException {
        List<Script> scripts = ScriptReturnsTest.scripts();
        List<String> lines = ScriptLibrary.of(scripts).source().lines().toList();
        String source = String.join("\n", lines);
        Map<String, List<String>> files = new HashMap<>();
        for (int at = 0; at < lines.size(); at += 41) { // each search goes over the whole text
            String words = ScriptLines.words(FAILURE.formatted(at + 1), source);
            if (words.contains("user_function")) {
                continue; // what the loader adds
            }
            String[] place = words.split("[ :]");
            List<String> file = files.computeIfAbsent(place[1], ScriptLinesTest::file);
            String there = file.get(Math.max(0, Integer.parseInt(place[2]) - 1));
            boolean declaresFields = there.startsWith("-- FIELDS ") || there.startsWith("--   "); // code stands for it
            if (!declaresFields && !lines.get(at).startsWith("--@ ")) {
                assertThat(lines.get(at)).as(words).isEqualTo(there);
            }
        }
        assertThat(files).hasSizeGreaterThan(60);
    }

    @Test
    void wordsWithoutAPlaceStay() {
        assertThat(ScriptLines.words("OOM command not allowed", "--@ a\nx\n")).isEqualTo("OOM command not allowed");
        assertThat(ScriptLines.words("user_function:9: x", "")).isEqualTo("user_function:9: x");
        assertThat(ScriptLines.words("user_script:1: x", "y\n--@ a\nx\n--@ \nz"))
                .isEqualTo("user_script:1: x");
        assertThat(ScriptLines.words("user_script:5: x", "y\n--@ a\nx\n--@ \nz"))
                .isEqualTo("user_script:5: x");
        assertThat(ScriptLines.words("user_script:3: x", "y\n--@ a\nx\n--@ \nz"))
                .isEqualTo("a.lua:1: x");
    }
}
