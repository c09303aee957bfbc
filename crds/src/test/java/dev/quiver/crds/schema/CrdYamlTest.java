package dev.quiver.crds.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

class CrdYamlTest {
    @Test
    void committedYamlIsWhatTheTypesSay() throws IOException {
        for (var file : CrdYaml.files().entrySet()) {
            var path = CrdYaml.FOLDER.resolve(file.getKey());
            if (System.getProperty("crds.write") != null) {
                Files.createDirectories(CrdYaml.FOLDER);
                Files.writeString(path, file.getValue());
            }
            var committed = Files.exists(path) ? Files.readString(path) : "";
            assertThat(committed.equals(file.getValue()))
                    .as("%s is not what the types say; this makes it anew: %s", path, CrdYaml.MENDING)
                    .isTrue();
        }
    }

    @Test
    void folderHoldsNothingElse() throws IOException {
        try (var files = Files.list(CrdYaml.FOLDER)) {
            assertThat(files.map(f -> f.getFileName().toString()).collect(Collectors.toSet()))
                    .isEqualTo(CrdYaml.files().keySet());
        }
    }
}
