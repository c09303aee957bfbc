package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import java.util.zip.GZIPInputStream;

import com.sun.net.httpserver.Headers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.history.rig.Client;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRows;

/** Answers that are compressed for callers that ask for it, and are the same bytes for all. */
class CompressionIT {

    private static final String RUN = "/v1/namespaces/team-a/runs/u1";
    private static final int TASKS = 2_000;

    private static void served(Path folder, ServedRecord.Story story) throws Exception {
        ServedRecord.overSqlite(folder, (record, client) -> {
            record.opened("u1", T0, RunOpening.of(RunKind.TASK_SET, "specs", T0, TASKS));
            for (int step = 0; step < TASKS / 50; step++) {
                StepRows rows = new StepRows();
                for (int task = 0; task < 50; task++) {
                    rows = rows.pass(50L * step + task, task % 8, 7 * task % 90, 100 + 31 * task % 70);
                }
                record.step("u1", "s" + step % 4, step + 1, T0 + 150L * step, rows);
            }
            record.write();
            story.run(record, client);
        });
    }

    private static HttpResponse<byte[]> zipped(Client client, String address) {
        return client.get(address, "Accept-Encoding", "br, gzip;q=0.8");
    }

    private static byte[] unzipped(byte[] body) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(body))) {
            return in.readAllBytes();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                RUN + "/timeline?px=1200",
                RUN + "/tasks?limit=500",
                "/v1/openapi.json",
                "/page/run.js",
                "/page/style.css"
            })
    void theBytesAreTheSameAndHalfAsManyAtMost(String address, @TempDir Path folder) throws Exception {
        served(folder, (record, client) -> {
            HttpResponse<byte[]> plain = client.get(address), zipped = zipped(client, address);
            assertThat(plain.statusCode()).isEqualTo(200);
            assertThat(plain.headers().firstValue("Content-Encoding")).isEmpty();
            assertThat(zipped.headers().firstValue("Content-Encoding")).contains("gzip");
            assertThat(zipped.headers().firstValue("Vary")).contains("Accept-Encoding");
            assertThat(zipped.headers().firstValue("Content-Type"))
                    .isEqualTo(plain.headers().firstValue("Content-Type"));
            assertThat(unzipped(zipped.body())).isEqualTo(plain.body());
            assertThat(zipped.body()).hasSizeLessThan(plain.body().length / 2);
        });
    }

    @Test
    void shortAnswersAndRangesStayAsTheyAre(@TempDir Path folder) throws Exception {
        served(folder, (record, client) -> {
            HttpResponse<byte[]> small = zipped(client, RUN + "/failures");
            assertThat(small.headers().firstValue("Content-Encoding")).isEmpty();
            assertThat(new String(small.body(), StandardCharsets.UTF_8)).startsWith("{");
            HttpResponse<byte[]> missing = zipped(client, RUN + "/tasks/99999/trials");
            assertThat(missing.statusCode()).isEqualTo(404);
            assertThat(missing.headers().firstValue("Content-Encoding")).isEmpty();
            HttpResponse<byte[]> part =
                    client.get(RUN + "/timeline?px=1200", "Range", "bytes=0-9", "Accept-Encoding", "gzip");
            assertThat(part.statusCode()).isEqualTo(206);
            assertThat(part.headers().firstValue("Content-Encoding")).isEmpty();
            assertThat(part.body()).hasSize(10);
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gzip | true",
                "deflate, GZIP | true",
                "gzip; q=0.5 | true",
                "gzip;q=1.0 | true",
                "gzip;q=0 | false",
                "gzip;q=0.000 | false",
                "x-gzip | false",
                "br | false",
                "gzip;q=2 | false"
            })
    void aCallerSaysThatItTakesGzip(String header, boolean compressed) {
        Headers request = Headers.of("Accept-Encoding", header);
        assertThat(Compression.of(request, new byte[5_000]).isPresent()).isEqualTo(compressed);
        assertThat(Compression.of(request, new byte[100])).isEmpty();
        assertThat(Compression.of(new Headers(), new byte[5_000])).isEmpty();
    }

    @Test
    void anAnswerThatDoesNotShrinkStaysAsItIs() {
        byte[] noise = new byte[5_000];
        new Random(1).nextBytes(noise);
        assertThat(Compression.of(Headers.of("Accept-Encoding", "gzip"), noise)).isEmpty();
    }
}
