package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.rig.Client;
import dev.quiver.history.store.Packs;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;
import dev.quiver.lifecycle.history.PackBody;
import dev.quiver.lifecycle.history.PackPlace;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;

/** Results for which history has no room. */
class RefusedPackIT {

    private static final String TRIALS = "/v1/namespaces/{namespace}/runs/{run}/tasks/{task}/trials";
    private static final String RESULT = TRIALS + "/{trial}/result";
    private static final int LARGE = 100_000;

    private static StepRows packed(long task) {
        return new StepRows()
                .trial(TrialRow.of(task, 1, 0, TrialStatus.PASSED, 0, 10)
                        .returned(LARGE)
                        .kept(new PackPlace("s1/" + task, 0, LARGE)));
    }

    private static String message(Client client, String address) {
        return client.json(404, RESULT, address + "/trials/1/result?full=true")
                .get("message")
                .asText();
    }

    @Test
    void aResultThatFoundNoRoomSaysSo(@TempDir Path folder) throws Exception {
        ServedRecord.overSqlite(folder, (record, client) -> {
            long now = System.currentTimeMillis();
            record.opened("u1", "specs", T0, 10)
                    .step("u1", "s1", 1, T0, packed(1))
                    .step("u1", "s1", 2, now, packed(2))
                    .write();
            String tasks = "/v1/namespaces/team-a/runs/u1/tasks/";
            assertThat(message(client, tasks + "1")).contains("is lost: its worker ended");
            assertThat(message(client, tasks + "2")).contains("is on its way");

            Packs packs = new Packs(record.database(), 0, Clock.systemUTC());
            assertThat(packs.store(
                            record.keyspace(),
                            "u1",
                            "s1",
                            2,
                            PackBody.read(new PackBody()
                                    .add(ResultFormat.JSON, "[1]".getBytes(StandardCharsets.UTF_8))
                                    .encode())))
                    .isEqualTo(Packs.Outcome.FULL);
            assertThat(message(client, tasks + "1")).contains("could not be kept: the record uses 0 MiB of 0 MiB");
            assertThat(message(client, tasks + "2")).contains("tries again: the record uses 0 MiB of 0 MiB");
            JsonNode trial =
                    client.json(200, TRIALS, tasks + "2/trials").get("items").get(0);
            assertThat(trial.get("outputRefused").asText()).startsWith("the record uses");
        });
    }

    @Test
    void aVolumeWithTooLittleRoomIsNamedWithBothFigures(@TempDir Path folder) throws Exception {
        try (SqliteDatabase database = SqliteDatabase.open(SqliteSettings.of(folder.resolve("record.db")))) {
            assertThat(database.shortage(1)).isEmpty();
            assertThat(database.shortage(Long.MAX_VALUE).orElseThrow().toString())
                    .matches("the record may take \\d+ MiB, and its volume has room for \\d+ MiB");
        }
        About about = new About(
                "SQLite", Optional.empty(), Optional.empty(), Optional.empty(), false, Optional.of("too little"));
        assertThat(about.document().get("shortage").asText()).isEqualTo("too little");
    }
}
