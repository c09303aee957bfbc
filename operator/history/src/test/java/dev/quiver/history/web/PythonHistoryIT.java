package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.access.Access;
import dev.quiver.history.access.Caller;
import dev.quiver.history.access.Right;
import dev.quiver.history.rig.Certificates;
import dev.quiver.history.rig.Record;
import dev.quiver.history.rig.Runs;
import dev.quiver.history.rig.Trusting;
import dev.quiver.history.store.Packs;
import dev.quiver.history.store.Sealing;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;
import dev.quiver.history.tls.ServerCertificate;
import dev.quiver.lifecycle.history.PackBody;
import dev.quiver.lifecycle.history.PackPlace;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.Tails;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** The Python reader as a program of its own, with this API. Its tests know the runs that are written here. */
class PythonHistoryIT {

    private static final Path PYTHON =
            Path.of("../../worker-image/sdk/python").toAbsolutePath().normalize();
    private static final Path REPORT = Path.of("target/failsafe-reports/TEST-python-history.xml");

    /** A stream of two rows: city is Bonn and null, sold is 1 and 2 as int16. */
    private static final String ARROW = """
            /////7AAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAIAAABQAAAABAAAAMj/
            //8AAAECEAAAACAAAAAEAAAAAAAAAAQAAABzb2xkAAAAAAgADAAIAAcACAAAAAAAAAEQAAAAEAAUAAgABgAHAAwA
            AAAQABAAAAAAAAEFEAAAABwAAAAEAAAAAAAAAAQAAABjaXR5AAAAAAQABAAEAAAAAAAAAP/////IAAAAFAAAAAAA
            AAAMABYABgAFAAgADAAMAAAAAAMEABgAAAAoAAAAAAAAAAAACgAYAAwABAAIAAoAAABsAAAAEAAAAAIAAAAAAAAA
            AAAAAAUAAAAAAAAAAAAAAAEAAAAAAAAACAAAAAAAAAAMAAAAAAAAABgAAAAAAAAABAAAAAAAAAAgAAAAAAAAAAAA
            AAAAAAAAIAAAAAAAAAAEAAAAAAAAAAAAAAACAAAAAgAAAAAAAAABAAAAAAAAAAIAAAAAAAAAAAAAAAAAAAABAAAA
            AAAAAAAAAAAEAAAABAAAAAAAAABCb25uAAAAAAEAAgAAAAAA/////wAAAAA=
            """;

    @TempDir
    private Path folder;

    @Test
    void programInPythonReadsTheRecord() throws Exception {
        new Certificates(folder).make(Certificates.Form.EC_PKCS8, "history");
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        About about = new About("SQLite", Optional.empty(), Optional.empty(), Optional.empty(), true);
        try (SqliteDatabase database = SqliteDatabase.open(SqliteSettings.of(folder.resolve("record.db")))) {
            write(database);
            try (ApiServer server = ApiServer.listen(
                    loopback,
                    Optional.of(new ApiServer.Secured(loopback, ServerCertificate.of(folder))),
                    database,
                    new Bounded(),
                    Trusting.NO_LIVE,
                    () -> about)) {
                ProcessBuilder program = new ProcessBuilder(
                                PYTHON.resolve("run-history-tests").toString(), "--junitxml=" + REPORT.toAbsolutePath())
                        .inheritIO();
                program.environment()
                        .putAll(Map.of(
                                "QUIVER_HISTORY",
                                "http://127.0.0.1:" + server.address().getPort(),
                                "QUIVER_HISTORY_SECURED",
                                "https://127.0.0.1:"
                                        + server.securedAddress().orElseThrow().getPort(),
                                "QUIVER_HISTORY_CA",
                                folder.resolve("tls.crt").toString(),
                                "QUIVER_HISTORY_TOKEN",
                                Trusting.TOKEN));
                Process process = program.start();
                try {
                    assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
                } finally {
                    process.destroy();
                }
                assertThat(process.exitValue()).as("pytest, see above").isZero();
            }
        }
    }

    /** Whose token is good may read each namespace but closed, and not the output of run silent. */
    private static final class Bounded implements Access {

        private final Access trusting = new Trusting();

        @Override
        public Caller caller(String token, InetAddress from) {
            return trusting.caller(token, from);
        }

        @Override
        public boolean may(Caller caller, Right right) {
            return !List.of("", "closed").contains(right.namespace())
                    && !(right.log() && right.name().equals("silent"));
        }

        @Override
        public Optional<String> living(String namespace) {
            return trusting.living(namespace);
        }
    }

    private static void write(SqliteDatabase database) throws Exception {
        Record closed = new Record(database, Keyspace.ofNamespace("closed"));
        closed.opened("c1", "secret", T0, 1).write();
        Record record = new Record(database, Keyspace.ofNamespace("team-a"));
        new Runs(record).write();
        record.opened("silent-1", "silent", T0, 1).passes("silent-1", "worker-0", 50_000, 0, 1);
        mixed(record);
        record.write();
        Packs packs = new Packs(database, Long.MAX_VALUE, Clock.systemUTC());
        byte[] large = ("\"" + "x".repeat(Runs.PACKED - 2) + "\"").getBytes(StandardCharsets.UTF_8);
        packs.store(
                record.keyspace(),
                "results",
                "worker-1",
                1,
                PackBody.read(new PackBody().add(ResultFormat.JSON, large).encode()));
        packs.store(
                record.keyspace(),
                "mixed-1",
                "worker-0",
                7,
                PackBody.read(new PackBody()
                        .add(ResultFormat.BYTES, new byte[PackBody.MEMBER_BYTES])
                        .add(ResultFormat.BYTES, "end".getBytes(StandardCharsets.UTF_8))
                        .encode()));
        new Sealing(database).seal(100);
    }

    /** A run of 1,000 tasks: 900 passed at once, 50 at the second trial, 50 failed twice; four more have results. */
    private static void mixed(Record record) {
        List<String> names =
                IntStream.range(0, 1000).mapToObj(i -> "spec/part_" + i + ".py").toList();
        record.opened(
                        "mixed-1",
                        T0,
                        RunOpening.of(RunKind.TASK_SET, "mixed", T0, 1004).in("mixed", "hash-1"))
                .named("mixed-1", "hash-1", names)
                .prepared("mixed-1", "worker-0", T0, tail("rsync\nsetup done\n"))
                .passes("mixed-1", "worker-0", 1000, 0, 900);
        for (int task = 900; task < 1000; task++) {
            record.step(
                    "mixed-1",
                    "worker-0",
                    2000 + task,
                    T0 + task,
                    new StepRows().trial(failed(task, 1, "first of " + task)),
                    "t");
            TrialRow second = task < 950
                    ? TrialRow.of(task, 2, 0, TrialStatus.PASSED, 0, 2000)
                    : failed(task, 2, "second of " + task);
            record.step("mixed-1", "worker-0", 3000 + task, T0 + task + 100, new StepRows().trial(second));
        }
        record.step(
                        "mixed-1",
                        "worker-0",
                        5000,
                        T0 + 3000,
                        new StepRows()
                                .trial(result(
                                        1000, ResultFormat.JSON, "{\"é\":[1,null]}".getBytes(StandardCharsets.UTF_8)))
                                .trial(result(1001, ResultFormat.BYTES, new byte[] {0, -1})
                                        .kept(new TrialRow.Streams(
                                                Optional.of(PackPlace.series("worker-0", 7, PackBody.MEMBER_BYTES + 3)),
                                                Optional.empty())))
                                .trial(result(
                                        1002,
                                        ResultFormat.ARROW,
                                        Base64.getMimeDecoder().decode(ARROW)))
                                .trial(result(1003, ResultFormat.ARROW, new byte[] {1, 2, 3})))
                .ended("mixed-1", RunEnd.Status.FAILED, T0 + 5000, 1004, 50, 1104);
    }

    private static TrialRow result(long task, ResultFormat format, byte[] bytes) {
        return TrialRow.of(task, 1, 0, TrialStatus.PASSED, 0, 1).returned(format, bytes);
    }

    private static TrialRow failed(long task, int trial, String message) {
        return TrialRow.of(task, trial, 3, TrialStatus.FAILED, 5, 1200)
                .because(Optional.of(1), Optional.empty(), "NonZeroExit", message)
                .printed(tail("printed by " + task), tail("error of " + trial), 4096);
    }

    private static byte[] tail(String text) {
        return Tails.pack(text.getBytes(StandardCharsets.UTF_8), 4096);
    }
}
