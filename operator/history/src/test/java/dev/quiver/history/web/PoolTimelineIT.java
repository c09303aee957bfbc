package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static dev.quiver.history.web.ServedRecord.texts;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.rig.Client;
import dev.quiver.history.rig.Columns;
import dev.quiver.history.rig.Record;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRows;

/** The timeline of a pool, over both databases. */
class PoolTimelineIT {

    @Test
    void sqlite(@TempDir Path folder) throws Exception {
        ServedRecord.overSqlite(folder, PoolTimelineIT::hasAllRuns);
    }

    @Test
    void postgres() throws Exception {
        ServedRecord.overPostgres(PoolTimelineIT::hasAllRuns);
    }

    /** Two runs share the pool of s1; the third one ran on a worker of another pool, and the fourth one later. */
    private static void hasAllRuns(Record record, Client client) throws Exception {
        record.joined("s1", T0);
        for (int i = 1; i <= 4; i++) {
            long at = i == 4 ? T0 + 9_000_000 : T0 + i;
            record.opened("u" + i, at, RunOpening.of(RunKind.TASK_SET, "run-" + i, at, 10))
                    .step(
                            "u" + i,
                            i == 3 ? "s2" : "s1",
                            i,
                            at + 5000,
                            new StepRows().pass(0, i, 0, 1000).pass(1, i + 1, 0, 2000));
        }
        record.write();
        String pool = "/v1/namespaces/team-a/pools/pool/timeline";
        byte[] body = client.get(pool + "?from=" + T0 + "&to=" + (T0 + 10_000)).body();
        int json = new String(body, StandardCharsets.ISO_8859_1).indexOf("{\"items\":");
        JsonNode runs = new ObjectMapper().readTree(Arrays.copyOfRange(body, json, body.length));
        assertThat(texts(runs, "name")).containsExactly("run-2", "run-1");
        assertThat(runs.get("more").asBoolean()).isFalse();
        ByteBuffer numbers = ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN);
        int n = numbers.getInt(12);
        assertThat(n).isEqualTo(4);
        int places = json - 2 * n;
        assertThat(places).isEven();
        Columns columns = Columns.of(Arrays.copyOf(body, places - 1));
        assertThat(runs.get("workers")).singleElement().satisfies(worker -> {
            assertThat(worker.get("pod").asText()).isEqualTo("pod-s1");
            assertThat(worker.get("session").asText()).isEqualTo("s1");
            assertThat(worker.get("id").asDouble()).isEqualTo(columns.workers()[0]);
        });
        assertThat(columns.slots()).as("slots of both runs").containsExactly(1, 2, 3);
        assertThat(IntStream.range(0, n).mapToObj(i -> numbers.getShort(places + 2 * i)))
                .as("slot 2 had the end of one run and the beginning of the other")
                .containsExactlyInAnyOrder((short) 1, (short) 1, (short) 0, (short) 0);
        byte[] none = client.get("/v1/namespaces/team-a/pools/other/timeline").body();
        assertThat(new String(none, StandardCharsets.ISO_8859_1))
                .endsWith("{\"items\":[],\"more\":false,\"workers\":[]}");
        client.json(400, "/v1/namespaces/{namespace}/pools/{pool}/timeline", pool + "?from=2&to=1");
    }
}
