package dev.quiver.crds.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import dev.quiver.crds.schema.CrdYaml.Kind;
import dev.quiver.crds.schema.CrdYaml.Stage;

class CrdYamlTest {
    private static final Path CHART = Path.of("../charts/quiver/files/crds");
    private static final Path EXAMPLES = Path.of("examples");
    private static final Path UPCOMING_EXAMPLES = Path.of("src/test/resources/upcoming");
    private static final Path GUIDES = Path.of("guide");

    @BeforeAll
    static void makeTheYamlAnewWhereAsked() throws IOException {
        if (System.getProperty("crds.write") != null) {
            for (var kind : CrdYaml.KINDS) {
                Files.createDirectories(kind.file().getParent());
                Files.writeString(kind.file(), kind.yaml());
                if (kind.stage() == Stage.RELEASED) {
                    Files.writeString(FieldReference.file(kind), FieldReference.of(kind));
                }
            }
        }
    }

    static Iterable<Kind> kinds() {
        return CrdYaml.KINDS;
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void committedYamlIsWhatTheTypesSay(Kind kind) throws IOException {
        var made = kind.yaml();
        var committed = Files.exists(kind.file()) ? Files.readString(kind.file()) : "";
        assertThat(committed.equals(made))
                .as("%s is not what the types say; this makes it anew: %s", kind.file(), CrdYaml.MENDING)
                .isTrue();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void pageOfTheFieldsIsWhatTheTypesSay(Kind kind) throws IOException {
        var page = FieldReference.file(kind);
        var committed = Files.exists(page) ? Files.readString(page) : "";
        var made = kind.stage() == Stage.RELEASED ? FieldReference.of(kind) : "";
        assertThat(committed.equals(made))
                .as("%s is not what the types say; this makes it anew: %s", page, CrdYaml.MENDING)
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void folderHoldsTheKindsOfItsStageAndNothingElse(Stage stage) throws IOException {
        var expected = CrdYaml.KINDS.stream()
                .filter(kind -> kind.stage() == stage)
                .map(Kind::file)
                .collect(Collectors.toSet());
        assertThat(in(stage.folder())).isEqualTo(expected);
    }

    /** A kind without a controller must not look done: neither chart nor examples nor guide show it. */
    @ParameterizedTest
    @MethodSource("kinds")
    void aKindIsShownToPeopleWhenAndOnlyWhenItIsReleased(Kind kind) throws IOException {
        boolean released = kind.stage() == Stage.RELEASED;
        assertThat(Files.exists(CHART.resolve(kind.file().getFileName())))
                .as("the chart has it")
                .isEqualTo(released);
        assertThat(Files.exists(GUIDES.resolve(kind.name().toLowerCase(Locale.ROOT) + ".md")))
                .as("it has a guide")
                .isEqualTo(released);
        assertThat(hasExample(EXAMPLES, kind)).as("an example in %s", EXAMPLES).isEqualTo(released);
        assertThat(hasExample(UPCOMING_EXAMPLES, kind))
                .as("an example in %s", UPCOMING_EXAMPLES)
                .isNotEqualTo(released);
    }

    private static boolean hasExample(Path folder, Kind kind) throws IOException {
        for (var file : in(folder)) {
            if (Files.readString(file).lines().anyMatch(("kind: " + kind.name())::equals)) {
                return true;
            }
        }
        return false;
    }

    private static Set<Path> in(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return Set.of();
        }
        try (var files = Files.list(folder)) {
            return files.collect(Collectors.toSet());
        }
    }
}
