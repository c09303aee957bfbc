package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.rig.Client;
import dev.quiver.history.rig.Columns;
import dev.quiver.history.store.Sealing;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;

/** Parts of a timeline: what has ended since an instant, and the lanes of one worker. */
class TimelineIncrementsIT {

    private static final String TIMELINE = "/v1/namespaces/{namespace}/runs/{run}/timeline";
    private static final String ITS = "/v1/namespaces/team-a/runs/u1/timeline";

    private static final ServedRecord.Story STORY = (record, client) -> {
        record.opened("u1", "specs", T0, 700)
                .joined("s1", T0)
                .joined("s2", T0)
                .passes("u1", "s1", 1, 0, 640)
                .step("u1", "s2", 1, T0 + 1500, new StepRows().trial(TrialRow.of(640, 1, 0, TrialStatus.FAILED, 0, 50)))
                .ended("u1", RunEnd.Status.FAILED, T0 + 2000, 641, 1, 641)
                .write();
        for (int sealed = 0; sealed < 2; sealed++) {
            parts(client);
            new Sealing(record.database()).seal(5);
        }
        client.json(400, TIMELINE, ITS + "?since=yesterday");
        client.json(400, TIMELINE, ITS + "?worker=s1");
    };

    private static void parts(Client client) throws Exception {
        Columns all = Columns.of(client.get(ITS).body());
        assertThat(all.trials()).isEqualTo(641);
        long since = (long) all.last() - 100;
        Columns late = Columns.of(client.get(ITS + "?since=" + since).body());
        assertThat(late.trials()).as("all are counted").isEqualTo(641);
        assertThat(late.slots()).as("all lanes are there").isEqualTo(all.slots());
        assertThat(late.first()).isEqualTo(all.first());
        assertThat(late.starts())
                .hasSize((int) IntStream.range(0, all.starts().length)
                        .filter(i -> all.starts()[i] + all.lengths()[i] >= since)
                        .count())
                .hasSizeBetween(1, 200);
        double worker = IntStream.range(0, all.workers().length)
                .mapToDouble(lane -> all.workers()[lane])
                .max()
                .orElseThrow();
        Columns its = Columns.of(client.get(ITS + "?worker=" + (long) worker).body());
        assertThat(its.workers()).containsOnly(worker);
        assertThat(its.trials()).isEqualTo(its.starts().length).isBetween(1.0, 640.0);
        assertThat(its.last()).as("of the whole run").isEqualTo(all.last());
        assertThat(Columns.of(client.get(ITS + "?worker=999999").body()).starts())
                .isEmpty();
    }

    @Test
    void aCallerGetsWhatIsNewAndWhatIsOfAWorker(@TempDir Path folder) throws Exception {
        ServedRecord.overSqlite(folder, STORY);
    }

    @Test
    void itDoesSoInPostgres() throws Exception {
        ServedRecord.overPostgres(STORY);
    }
}
