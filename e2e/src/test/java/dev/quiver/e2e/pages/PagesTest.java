package dev.quiver.e2e.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.e2e.cluster.Repository;

/** Every page of the project (*.md): short lines, links that lead somewhere, names that exist. */
class PagesTest {

    private static final int LONGEST_LINE = 120;
    private static final int LONGEST_README = 200;
    private static final int LONGEST_SENTENCE = 40;
    private static final int SHORTEST_GLOSSARY = 20;
    private static final int LONGEST_GLOSSARY = 27;
    private static final Path ROOT = Repository.root();
    private static final Path README = ROOT.resolve("README.md");
    private static final Path CONTRIBUTING = ROOT.resolve("CONTRIBUTING.md");
    private static final Path GUIDE = ROOT.resolve("crds/guide/taskset.md");

    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s#]+)(?:#[^)]*)?\\)");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern VARIABLE = Pattern.compile("QUIVER_[A-Z_]*[A-Z]");

    /** A text that may be a value of the chart: {@code redis.bundled=false}. */
    private static final Pattern DOTTED = Pattern.compile("(?<![\\w./-])[a-z]\\w*(?:\\.[a-z]\\w*)+");

    private static final Pattern OWN_VARIABLE = Pattern.compile("own\\.put\\(\"(QUIVER_[A-Z_]+)\"");
    private static final Pattern AGENTS_VARIABLE = Pattern.compile("\"(QUIVER_[A-Z_]+)=%");

    /** The image of a container in YAML. */
    private static final Pattern IMAGE = Pattern.compile("(?m)(?:^[\\s-]*|[{,] ?)image: ['\"]?([\\w./:@-]+)");

    private static final Pattern DOCKER_BUILD =
            Pattern.compile("docker build (?:-t|--tag) (?<image>\\S+)(?: -f (?<file>\\S+))? (?<folder>[\\w./-]+)");

    static List<Path> pages() throws IOException {
        return Sources.of(ROOT, ".md").stream().map(ROOT::relativize).toList();
    }

    /** Those that tell how something works, and why. */
    static List<Path> prose() throws IOException {
        return pages().stream()
                .filter(page -> page.getNameCount() == 1 // those at the top
                        || page.startsWith("crds/guide")
                        || page.endsWith("DESIGN.md"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void linesAreShortButInTablesAndCode(Path page) throws IOException {
        List<String> tooLong = new ArrayList<>();
        boolean code = false;
        int number = 0;
        for (String line : Files.readAllLines(ROOT.resolve(page))) {
            number++;
            code ^= line.stripLeading().startsWith("```");
            boolean free = code || line.startsWith("|") || line.startsWith("    ");
            if (!free && line.length() > LONGEST_LINE) {
                tooLong.add(number + ": " + line.length() + " characters");
            }
        }
        assertThat(tooLong).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void linksLeadToWhatIsThere(Path page) throws IOException {
        Path folder = ROOT.resolve(page).getParent();
        String withoutCode = Files.readString(ROOT.resolve(page)).replaceAll("`[^`\n]*`", "");
        Stream<String> links = LINK.matcher(withoutCode).results().map(it -> it.group(1));
        assertThat(links.filter(it -> !it.contains(":")))
                .allSatisfy(link -> assertThat(folder.resolve(link)).exists());
    }

    /** Longer ones are read twice. */
    @ParameterizedTest
    @MethodSource("prose")
    void sentencesAreShort(Path page) throws IOException {
        assertThat(Sentences.of(Files.readString(ROOT.resolve(page))).stream()
                        .filter(sentence -> Sentences.words(sentence) > LONGEST_SENTENCE))
                .as("sentences of %s with more than %d words", page, LONGEST_SENTENCE)
                .isEmpty();
    }

    @ParameterizedTest
    @MethodSource("prose")
    void sentencesBeginWithANoun(Path page) throws IOException {
        assertThat(Sentences.of(Files.readString(ROOT.resolve(page))).stream().filter(Sentences::isHeadless))
                .as("sentences of %s that begin with Of, What, Who, Nothing, Nobody, Nor, That of or Where none", page)
                .isEmpty();
    }

    /** The files that a newcomer copies: pages, and whole resources with their comments. */
    static List<Path> withImages() throws IOException {
        return Sources.of(ROOT, ".md", ".yaml", "NOTES.txt").stream()
                .map(ROOT::relativize)
                .filter(file -> !file.toString().contains("src/") && !file.endsWith("values.yaml"))
                .filter(file -> !file.startsWith("charts/quiver/templates") || file.endsWith("NOTES.txt"))
                .filter(file -> !images(file).isEmpty())
                .toList();
    }

    /** A stranger's cluster has what is public, and what a line of the page has built. */
    @ParameterizedTest
    @MethodSource("withImages")
    void anImageIsBusyboxOrBuiltByALineOfItsPage(Path page) throws IOException {
        Map<String, Path> built = new TreeMap<>();
        DOCKER_BUILD.matcher(read(page.toString())).results().forEach(line -> {
            String folder = line.group("folder");
            built.put(
                    line.group("image"),
                    Path.of(line.group("file") == null ? folder + "/Dockerfile" : line.group("file")));
        });
        assertThat(images(page)).allSatisfy(image -> {
            if (!image.matches("(docker\\.io/library/)?busybox(:[\\w.-]+)?")) {
                assertThat(built).as("images that a line of %s builds", page).containsKey(image);
                assertThat(ROOT.resolve(built.get(image))).exists();
            }
        });
    }

    private static Set<String> images(Path page) {
        try {
            return all(IMAGE, read(page.toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void readmeIsForANewcomer() throws IOException {
        assertThat(Files.readAllLines(README)).hasSizeLessThanOrEqualTo(LONGEST_README);
    }

    @Test
    void glossaryNamesOnlyWhatIsThere() throws IOException {
        Set<String> files = Sources.of(ROOT, ".java", ".lua", ".c").stream()
                .map(it -> it.getFileName().toString())
                .collect(Collectors.toSet());
        String contributing = Files.readString(CONTRIBUTING);
        List<String> terms = contributing
                .substring(contributing.indexOf("## Glossary"))
                .lines()
                .filter(line -> line.startsWith("| ") && line.contains("`"))
                .toList();
        assertThat(terms)
                .hasSizeBetween(SHORTEST_GLOSSARY, LONGEST_GLOSSARY)
                .allSatisfy(term -> assertThat(CODE.matcher(term).results().map(it -> it.group(1)))
                        .isNotEmpty()
                        .allSatisfy(name -> assertThat(files)
                                .as("the file of %s, in: %s", name, term)
                                .contains(name.contains(".") ? name : name + ".java")));
    }

    @Test
    void guideNamesEveryVariableThatATaskFinds() throws IOException {
        String rendering = read("operator/lifecycle/src/main/java/dev/quiver/lifecycle/ordinals/TaskRendering.java");
        String agent = read("worker-image/agent/src/execute.c");
        Set<String> given = new TreeSet<>(all(OWN_VARIABLE, rendering));
        given.addAll(all(AGENTS_VARIABLE, agent));
        assertThat(given).as("what supervisor and agent put").contains("QUIVER_TASK", "QUIVER_INPUT_LENGTH");
        assertThat(all(VARIABLE, Files.readString(GUIDE))).containsAll(given);
    }

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "crds/guide/taskset.md", "crds/guide/workerpool.md"})
    void namesNoVariableThatNobodyKnows(String page) throws IOException {
        Set<String> known = new TreeSet<>();
        for (Path file : Sources.of(ROOT, ".java", ".c", ".h", ".py", ".sh", "/run", ".yaml")) {
            if (!file.toString().contains("/src/test/")) {
                known.addAll(all(VARIABLE, Files.readString(file)));
            }
        }
        assertThat(known).containsAll(all(VARIABLE, Files.readString(ROOT.resolve(page))));
    }

    @Test
    void readmeNamesNoValueThatTheChartHasNot() throws IOException {
        Map<?, ?> values = Serialization.unmarshal(read("charts/quiver/values.yaml"), Map.class);
        Set<String> named = all(DOTTED, Files.readString(README));
        named.removeIf(name -> !values.containsKey(name.substring(0, name.indexOf('.'))));
        assertThat(named).isNotEmpty().allMatch(name -> has(values, name), "is in charts/quiver/values.yaml");
    }

    private static boolean has(Map<?, ?> values, String name) {
        Object at = values;
        for (String word : name.split("\\.")) {
            if (!(at instanceof Map<?, ?> map) || !map.containsKey(word)) {
                return false;
            }
            at = map.get(word);
        }
        return true;
    }

    private static Set<String> all(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.results()
                .map(it -> it.group(matcher.groupCount()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String read(String path) throws IOException {
        return Files.readString(ROOT.resolve(path));
    }
}
