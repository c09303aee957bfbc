package dev.quiver.e2e.images;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import dev.quiver.e2e.cluster.Repository;
import dev.quiver.e2e.pages.Sources;

/** All that is written twice on purpose stays the same: the two Dockerfiles, and the version wherever it stands. */
class ImagesTest {

    private static final Path ROOT = Repository.root();

    /** Lines that may differ: each image's own files, the operator's second program, and what is said about them. */
    private static final Pattern OWN = Pattern.compile(
            "(#|COPY image/|ARG TARGETARCH|COPY (--chmod=0755 )?agent/|COPY history/|RUN /bin/bash \\S*history|EXPOSE ).*");

    private static final Pattern IMAGE = Pattern.compile("quiver/(?:operator|worker|demo|columns):(\\d[\\w.-]*)");

    /** Where the version stands by itself. */
    private static final List<Place> VERSIONS = List.of(
            new Place("operator/controller/src/main/java/dev/quiver/controller/Main.java", "version = \"([^\"]+)\""),
            new Place("worker-image/sdk/python/pyproject.toml", "(?m)^version = \"([^\"]+)\""),
            new Place("charts/quiver/Chart.yaml", "(?m)^version: (.+)$"),
            new Place("charts/quiver/Chart.yaml", "(?m)^appVersion: (.+)$"),
            new Place("CHANGELOG.md", "(?m)^## \\[(\\d[^]]*)]"));

    /** A version in a file, which a pattern's group finds. */
    private record Place(String file, String pattern) {}

    /** They have contexts of their own, and a line that both need must not be mended in one alone. */
    @Test
    void bothDockerfilesDifferInTheirOwnFilesOnly() throws IOException {
        List<String> operator = shared("operator/Dockerfile");
        List<String> worker = shared("worker-image/Dockerfile");
        assertThat(operator).hasSizeGreaterThan(20).isEqualTo(worker);
    }

    /** A context holds no link that leaves it, so there are two files. */
    @Test
    void bothImagesListTheirComponentsByTheSameProgram() throws IOException {
        assertThat(Files.readString(ROOT.resolve("worker-image/image/sbom")))
                .isEqualTo(Files.readString(ROOT.resolve("operator/image/sbom")));
    }

    @Test
    void versionIsTheBuildsWhereverItIsWritten() throws IOException {
        String version = first("<version>([^<]+)</version>", ROOT.resolve("pom.xml"));
        Map<String, String> others = new TreeMap<>();
        for (Path file : Sources.of(ROOT, ".java", ".yaml", ".md", "/run", "Dockerfile", ".sh")) {
            if (file.toString().contains("/src/test/") && !file.startsWith(ROOT.resolve("e2e"))) {
                continue; // a unit's own test may invent a version
            }
            Matcher image = IMAGE.matcher(Files.readString(file));
            while (image.find()) {
                if (!image.group(1).equals(version)) {
                    others.put(ROOT.relativize(file) + " " + image.start(), image.group());
                }
            }
        }
        for (Place place : places()) {
            String found = first(place.pattern(), ROOT.resolve(place.file()));
            if (!found.equals(version)) {
                others.put(place.file() + " " + place.pattern(), found);
            }
        }
        assertThat(others).as("not " + version).isEmpty();
    }

    /** Those above, and what each module says of its parent: Maven would take another one from its repository. */
    private static List<Place> places() throws IOException {
        List<Place> places = new ArrayList<>(VERSIONS);
        for (Path pom : Sources.of(ROOT, "/pom.xml")) {
            if (!pom.getParent().equals(ROOT)) {
                places.add(
                        new Place(
                                ROOT.relativize(pom).toString(),
                                "<parent>\\s+<groupId>dev.quiver</groupId>\\s+<artifactId>[^<]+</artifactId>\\s+<version>([^<]+)<"));
            }
        }
        return places;
    }

    private static List<String> shared(String dockerfile) throws IOException {
        List<String> lines = new ArrayList<>(Files.readAllLines(ROOT.resolve(dockerfile)));
        lines.replaceAll(line -> line.replaceAll("controller|operator", "supervisor"));
        lines.removeIf(line -> line.isBlank() || OWN.matcher(line).matches());
        return lines;
    }

    private static String first(String pattern, Path file) throws IOException {
        Matcher found = Pattern.compile(pattern).matcher(Files.readString(file));
        assertThat(found.find()).as("%s in %s", pattern, file).isTrue();
        return found.group(1).strip();
    }
}
