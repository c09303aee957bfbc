package dev.quiver.e2e.images;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.e2e.cluster.Command;
import dev.quiver.e2e.cluster.Images;

/** The lists of components in our images name what is there, and nothing else. Read out of the images as they are built. */
class SbomIT {

    private static final JsonMapper JSON = new JsonMapper();
    private static final String LABEL = "dev.quiver.sbom";
    private static final String PURL = "pkg:maven/";

    /** Files that the build writes itself, and that no component brings. */
    private static final Predicate<String> MADE_HERE =
            Set.of("/etc/passwd", "/etc/group", "/etc/nsswitch.conf")::contains;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"operator", "worker"})
    void listsEveryJarAndEveryFileThatTheBuildTookFromElsewhere(String image) throws IOException {
        Path root = unpacked(image);
        Path lists = root.resolve(label().substring(1));
        Set<String> jars = files(root.resolve("quiver/lib"))
                .map(jar -> jar.getFileName().toString())
                .collect(Collectors.toCollection(TreeSet::new));
        Map<String, JsonNode> listed = jarsOf(lists);
        assertThat(jars).as("jars in the image").hasSizeGreaterThan(20).isEqualTo(listed.keySet());
        assertThat(changed(root, listed))
                .as("jars that are not those of the list")
                .allMatch(jar -> jar.startsWith("sqlite-jdbc-"), "lost the libraries of other systems");

        Set<String> elsewhere = files(root)
                .map(file -> "/" + root.relativize(file))
                .filter(file -> !file.matches("/quiver/(lib|sbom|runtime)/.*|/quiver/[a-z]+\\.(aot|args)"))
                .filter(MADE_HERE.negate())
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> places = places(lists.resolve("runtime.cdx.json"));
        assertThat(places)
                .contains("/quiver/runtime")
                .allMatch(place -> Files.exists(root.resolve(place.substring(1))));
        assertThat(places.stream().filter(place -> !place.startsWith("/quiver/runtime")))
                .as("files of packages and binaries of ours")
                .containsExactlyInAnyOrderElementsOf(elsewhere);
    }

    /** The files of an image; its configuration lies beside them. */
    private Path unpacked(String image) throws IOException {
        Path archive = Images.archives(image).getFirst();
        Path root = Files.createDirectory(folder.resolve("root"));
        Command.of("tar", "-xf", archive.toString(), "-C", folder.toString()).run();
        for (JsonNode layer : manifest().path("Layers")) {
            Command.of("tar", "-xf", folder.resolve(layer.asText()).toString(), "-C", root.toString())
                    .run();
        }
        return root;
    }

    private JsonNode manifest() throws IOException {
        return JSON.readTree(folder.resolve("manifest.json").toFile()).path(0);
    }

    /** Where the image itself says that its lists are. */
    private String label() throws IOException {
        return JSON.readTree(folder.resolve(manifest().path("Config").asText()).toFile())
                .path("config")
                .path("Labels")
                .path(LABEL)
                .asText();
    }

    /** The component of each jar, by the name of its file; the modules whose dependencies a list has are jars, too. */
    private static Map<String, JsonNode> jarsOf(Path lists) throws IOException {
        Map<String, JsonNode> jars = new TreeMap<>();
        for (Path list : files(lists).toList()) {
            JsonNode document = JSON.readTree(list.toFile());
            assertThat(document.path("bomFormat").asText()).as("%s", list).isEqualTo("CycloneDX");
            Stream.concat(
                            Stream.of(document.path("metadata").path("component")),
                            StreamSupport.stream(document.path("components").spliterator(), false))
                    .filter(component -> component.path("purl").asText().startsWith(PURL))
                    .forEach(component -> jars.put(jar(component), component));
        }
        return jars;
    }

    /** Such as netty-transport-native-epoll-4.1.0-linux-x86_64.jar. */
    private static String jar(JsonNode component) {
        String purl = component.path("purl").asText();
        String classifier = purl.contains("classifier=") ? purl.replaceFirst(".*classifier=([^&]*).*", "-$1") : "";
        return component.path("name").asText() + "-" + component.path("version").asText() + classifier + ".jar";
    }

    /** The jars of other bytes than their component's digest. */
    private static List<String> changed(Path root, Map<String, JsonNode> listed) throws IOException {
        Map<String, String> found = new TreeMap<>();
        for (Path jar : files(root.resolve("quiver/lib")).toList()) {
            found.put(jar.getFileName().toString(), sha256(jar));
        }
        return listed.entrySet().stream()
                .filter(jar -> jar.getValue().has("hashes"))
                .filter(jar -> StreamSupport.stream(
                                jar.getValue().path("hashes").spliterator(), false)
                        .filter(hash -> hash.path("alg").asText().equals("SHA-256"))
                        .noneMatch(hash -> hash.path("content").asText().equals(found.get(jar.getKey()))))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static String sha256(Path file) throws IOException {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Set<String> places(Path list) throws IOException {
        Set<String> places = new TreeSet<>();
        for (JsonNode component : JSON.readTree(list.toFile()).path("components")) {
            assertThat(component.path("version").asText())
                    .as("version of %s", component)
                    .isNotEmpty();
            component
                    .path("evidence")
                    .path("occurrences")
                    .forEach(it -> places.add(it.path("location").asText()));
        }
        return places;
    }

    private static Stream<Path> files(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile).toList().stream();
        }
    }
}
