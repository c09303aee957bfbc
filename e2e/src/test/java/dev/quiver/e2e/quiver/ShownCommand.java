package dev.quiver.e2e.quiver;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.awaitility.Awaitility;

/**
 * A command that a page or an example shows. It promises something where it is a {@code kubectl wait}, or where the
 * comment behind it is JSON: what it prints, a string without its quotes.
 *
 * @param line the command
 * @param output what it prints, where the comment says so
 */
public record ShownCommand(String line, Optional<JsonNode> output) {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final Pattern COMMENTED = Pattern.compile("(.*?)\\s+# (.*)");

    /** The namespace that examples name where an administrator has to do something for it. */
    private static final String TEAM = " -n team-a";

    /** The command of a line as it is shown, comment included. */
    public static ShownCommand of(String shown) {
        Matcher commented = COMMENTED.matcher(shown);
        boolean has = commented.matches();
        String line = has ? commented.group(1) : shown;
        return new ShownCommand(line.replace(TEAM, ""), has ? json(commented.group(2)) : Optional.empty());
    }

    private static Optional<JsonNode> json(String text) {
        try {
            return Optional.of(JSON.readTree(text));
        } catch (JsonProcessingException e) {
            return Optional.empty(); // words for a person
        }
    }

    /** Whether its end, or what it prints, is a promise. */
    public boolean promises() {
        return line.startsWith("kubectl wait ") || output.isPresent();
    }

    /** Runs it in a namespace as it stands, until it prints what is promised. */
    public void isKept(Space space, Path folder) {
        if (output.isEmpty()) {
            space.kubectl().script(folder, line);
            return;
        }
        JsonNode wanted = output.get();
        Awaitility.await(line).untilAsserted(() -> {
            String printed = space.kubectl().script(folder, line);
            if (wanted.isTextual()) {
                assertThat(printed).as(line).isEqualTo(wanted.textValue());
            } else {
                assertThat(json(printed)).as("%s printed %s", line, printed).contains(wanted);
            }
        });
    }
}
