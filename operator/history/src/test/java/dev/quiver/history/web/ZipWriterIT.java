package dev.quiver.history.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Archives as readers of the JDK find them: from their directory, and from their beginning. */
class ZipWriterIT {

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 70_000})
    void readersFindEveryFile(int files) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZipWriter zip = new ZipWriter(out)) {
            for (int i = 0; i < files; i++) {
                zip.add(i + ".json", ("{\"n\":" + i + "}").getBytes(StandardCharsets.UTF_8));
            }
            zip.finish();
        }
        try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(out.toByteArray()))) {
            int found = 0;
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                assertThat(entry.getName()).isEqualTo(found + ".json");
                assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                        .isEqualTo("{\"n\":" + found++ + "}");
            }
            assertThat(found).isEqualTo(files);
        }
        Path file = Files.createTempFile("archive", ".zip");
        try {
            Files.write(file, out.toByteArray());
            try (ZipFile zip = new ZipFile(file.toFile())) {
                assertThat(zip.size()).isEqualTo(files);
                if (files > 0) {
                    ZipEntry last = zip.getEntry(files - 1 + ".json");
                    assertThat(new String(zip.getInputStream(last).readAllBytes(), StandardCharsets.UTF_8))
                            .contains("" + (files - 1));
                }
            }
        } finally {
            Files.delete(file);
        }
    }
}
