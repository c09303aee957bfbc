package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;

/** Names of the files in an archive of results. */
class ResultNamesIT {

    @Test
    void aFileHasTheNameOfItsTaskAndLeadsToNoOtherFolder(@TempDir Path folder) throws Exception {
        ServedRecord.overSqlite(folder, (record, client) -> {
            StepRows rows = new StepRows();
            for (int task = 0; task < 3; task++) {
                rows = rows.trial(TrialRow.of(task, 1, 0, TrialStatus.PASSED, 0, 1)
                        .returned(ResultFormat.JSON, "1".getBytes(StandardCharsets.UTF_8)));
            }
            record.opened(
                            "u1",
                            T0,
                            RunOpening.of(RunKind.TASK_SET, "specs", T0, 3).in("specs", "hash-u1"))
                    .named("u1", "hash-u1", List.of("spec/größe.rb", "../../etc/passwd\u202e", "x".repeat(400)))
                    .step("u1", "s1", 1, T0, rows)
                    .write();
            byte[] archive =
                    client.get("/v1/namespaces/team-a/runs/u1/results.zip").body();
            List<String> names = new ArrayList<>();
            try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(archive))) {
                for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                    names.add(entry.getName());
                }
            }
            assertThat(names)
                    .containsExactly(
                            "0-1-spec_größe.rb.json", "1-1-.._.._etc_passwd_.json", "2-1-" + "x".repeat(100) + ".json");
        });
    }
}
