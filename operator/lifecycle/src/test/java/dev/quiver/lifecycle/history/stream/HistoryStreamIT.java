package dev.quiver.lifecycle.history.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.Range;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.history.EntryFields;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.RandomEntries;
import dev.quiver.lifecycle.history.Shortage;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.StaleLeaderException;
import dev.quiver.lifecycle.redis.CallRights;
import dev.quiver.lifecycle.redis.FunctionRights;
import dev.quiver.lifecycle.redis.PatientStore;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;

/** The stream in a real Redis: appended by the include of the scripts, read as bytes, trimmed once. */
class HistoryStreamIT {

    private static final Keyspace KEYSPACE = Keyspace.ofNamespace("team");

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private final HistoryStream stream = new HistoryStream(REDIS.store(), KEYSPACE);

    @BeforeEach
    void empty() {
        REDIS.store().ask(redis -> redis.flushall());
    }

    /** As a script appends, with the module that all scripts share. */
    private static void append(List<byte[]> fields) throws IOException {
        try (InputStream lua =
                HistoryStream.class.getResourceAsStream("/dev/quiver/lifecycle/lua/include/history/record.lua")) {
            String script = "local call, record = redis.call, {}\n"
                    + new String(lua.readAllBytes(), StandardCharsets.UTF_8)
                    + "record.append({key_history = KEYS[1], key_meta = KEYS[2]}, unpack(ARGV)) return 'OK'";
            CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8)
                    .add(script)
                    .add(2)
                    .addKey(KEYSPACE.history())
                    .addKey(KEYSPACE.meta());
            fields.forEach(arguments::add);
            REDIS.store()
                    .ask(redis -> redis.dispatch(CommandType.EVAL, new StatusOutput<>(StringCodec.UTF8), arguments));
        }
    }

    private static String historyBytes() {
        return REDIS.store().ask(redis -> redis.hget(KEYSPACE.meta(), "history_bytes"));
    }

    @Test
    void entriesComeBackAsBytesInTheirOrder() throws Exception {
        RandomEntries random = new RandomEntries(7);
        List<HistoryEntry> written =
                java.util.stream.Stream.generate(random::entry).limit(100).toList();
        for (HistoryEntry entry : written) {
            append(EntryFields.of(entry));
        }
        HistoryStream.Page page = stream.read(60);
        assertThat(page.entries()).hasSize(60);
        assertThat(page.more()).isTrue();
        for (int i = 0; i < 60; i++) {
            assertThat(EntryFields.read(page.entries().get(i).fields()))
                    .usingRecursiveComparison()
                    .isEqualTo(written.get(i));
        }
    }

    @Test
    void trimTakesWhatWasReadOnceAndCountsTheBytes() throws Exception {
        RandomEntries random = new RandomEntries(8);
        long all = 0;
        for (int i = 0; i < 100; i++) {
            List<byte[]> fields = EntryFields.of(random.entry());
            all += EntryFields.bytes(fields);
            append(fields);
        }
        assertThat(historyBytes()).isEqualTo(Long.toString(all));
        HistoryStream.Page first = stream.read(30);
        assertThat(stream.trim(first)).isEqualTo(30);
        String left = historyBytes();
        assertThat(stream.trim(first)).isZero();
        assertThat(historyBytes()).isEqualTo(left);
        long rest = 0;
        HistoryStream.Page second = stream.read(256);
        for (HistoryStream.Entry entry : second.entries()) {
            rest += EntryFields.bytes(entry.fields());
        }
        assertThat(left).isEqualTo(Long.toString(rest));
        assertThat(second.more()).isFalse();
        assertThat(stream.trim(second)).isEqualTo(70);
        assertThat(historyBytes()).isEqualTo("0");
        assertThat(stream.read(256).entries()).isEmpty();
    }

    @Test
    void theBacklogHasTheShortageThatItsReaderNoted() {
        Lifecycle lifecycle = new Lifecycle(REDIS.store());
        stream.note(Optional.of(new Shortage(1 << 30, 1000)));
        assertThat(lifecycle.backlog(KEYSPACE).shortage()).contains(new Shortage(1 << 30, 1000));
        stream.note(Optional.empty());
        stream.note(Optional.empty());
        assertThat(lifecycle.backlog(KEYSPACE).shortage()).isEmpty();
        long now = System.currentTimeMillis();
        for (String forged : List.of(
                "1 1 " + (now - 700_000),
                "1 1 " + (now + 700_000),
                "-1 1 " + now,
                "nan nan " + now,
                "1e300 1 " + now,
                "1 1 " + "9".repeat(60),
                "x".repeat(100_000))) {
            REDIS.store().ask(redis -> redis.hset(KEYSPACE.meta(), "record_room", forged));
            assertThat(lifecycle.backlog(KEYSPACE).shortage()).as(forged).isEmpty();
        }
        REDIS.store().ask(redis -> redis.hset(KEYSPACE.meta(), "record_room", "9".repeat(40) + " 0 " + now));
        assertThat(lifecycle.backlog(KEYSPACE).shortage()).contains(new Shortage(1L << 50, 0));
        REDIS.store().ask(redis -> redis.hdel(KEYSPACE.meta(), "record_room"));
    }

    @Test
    void theBacklogHasItsLevelItsBytesAndItsAge() throws Exception {
        Lifecycle lifecycle = new Lifecycle(REDIS.store());
        assertThat(lifecycle.backlog(KEYSPACE).level()).isEqualTo(HistoryBacklog.Level.OFF);
        lifecycle.health(KEYSPACE, 5).observe(java.util.Optional.empty());
        lifecycle.health(KEYSPACE, 5).recording(1600).beat();
        assertThat(lifecycle.backlog(KEYSPACE))
                .isEqualTo(new HistoryBacklog(HistoryBacklog.Level.NOTHING, 0, 1600, java.time.Duration.ZERO));
        append(EntryFields.of(new HistoryEntry.Deleted("u", 1)));
        for (String bytes : List.of("500", "1000", "1600")) {
            REDIS.store().ask(redis -> redis.hset(KEYSPACE.meta(), "history_bytes", bytes));
            HistoryBacklog backlog = lifecycle.backlog(KEYSPACE);
            assertThat(backlog.bytes()).isEqualTo(Long.parseLong(bytes));
            assertThat(backlog.level().name())
                    .isEqualTo(bytes.equals("500") ? "TAILS" : bytes.equals("1000") ? "PASSES" : "TRIALS");
        }
        org.awaitility.Awaitility.await()
                .until(() -> lifecycle.backlog(KEYSPACE).age().toMillis() > 50);
        for (String forged : List.of("nan", "-inf", "inf", "1e300", "x".repeat(5000))) {
            REDIS.store().ask(redis -> redis.hset(KEYSPACE.meta(), "history_bytes", forged));
            assertThat(lifecycle.backlog(KEYSPACE).bytes()).isBetween(0L, 1L << 50);
        }
        REDIS.store().ask(redis -> redis.del(KEYSPACE.history()));
        REDIS.store().ask(redis -> redis.set(KEYSPACE.history(), "no stream"));
        assertThat(lifecycle.backlog(KEYSPACE).age()).isZero();
    }

    @Test
    void deletedResourcesAreReportedWhereSomebodyReads() throws Exception {
        Lifecycle lifecycle = new Lifecycle(REDIS.store());
        lifecycle.deletions(KEYSPACE, 5).report(List.of("nobody-reads"));
        lifecycle.health(KEYSPACE, 5).observe(java.util.Optional.empty());
        lifecycle.health(KEYSPACE, 5).recording(1000).beat();
        REDIS.store().ask(redis -> redis.hset(KEYSPACE.meta(), "history_bytes", "2000")); // full
        lifecycle.deletions(KEYSPACE, 5).report(List.of("u1", "u1-r1"));
        lifecycle.deletions(KEYSPACE, 5).report(List.of());
        assertThatThrownBy(() -> lifecycle.deletions(KEYSPACE, 4).report(List.of("u2")))
                .isInstanceOf(StaleLeaderException.class);
        assertThat(RecordedEntries.of(REDIS.store(), KEYSPACE).of(HistoryEntry.Deleted.class))
                .extracting(HistoryEntry.Deleted::uid)
                .containsExactly("u1", "u1-r1");
    }

    @Test
    void aForgedCounterIsRightAgainWhenTheStreamIsEmpty() throws Exception {
        append(EntryFields.of(new RandomEntries(9).entry()));
        append(EntryFields.of(new RandomEntries(9).entry()));
        for (String forged : List.of("nan", "-inf", "x".repeat(5000))) {
            REDIS.store().ask(redis -> redis.hset(KEYSPACE.meta(), "history_bytes", forged));
            HistoryStream.Page page = stream.read(1);
            stream.trim(page);
            assertThat(historyBytes()).isEqualTo("0");
            append(EntryFields.of(new RandomEntries(9).entry()));
        }
    }

    @Test
    void anEntryThatIsTooLargeComesWithoutItsFields() {
        String large = "x".repeat(300_000);
        for (int i = 0; i < 40; i++) {
            REDIS.store().ask(redis -> redis.xadd(KEYSPACE.history(), "k", "t", "r", large));
            REDIS.store().ask(redis -> redis.xadd(KEYSPACE.history(), "k", "t", "r", large.substring(60_000)));
        }
        HistoryStream.Page page = stream.read(256);
        long fetched = page.entries().stream()
                .flatMap(entry -> entry.fields().stream())
                .mapToLong(field -> field.length)
                .sum();
        assertThat(fetched).isLessThan(HistoryStream.PAGE_BYTES + 300_000);
        assertThat(page.entries().getFirst().fields()).isEmpty();
        assertThat(page.entries().getFirst().bytes()).isEqualTo(300_003);
        assertThat(page.more()).isTrue();
    }

    @Test
    void theUserOfHistoryReadsAndTrimsAndReachesNothingElse() throws Exception {
        REDIS.store().ask(redis -> redis.functionLoad(Lifecycle.LIBRARY.source(), true));
        append(EntryFields.of(new RandomEntries(10).entry()));
        try (RedisStore store = historysStore(true)) {
            HistoryStream its = new HistoryStream(store, KEYSPACE);
            HistoryStream.Page page = its.read(256);
            assertThat(page.entries()).hasSize(1);
            assertThat(its.trim(page)).isEqualTo(1);
            refused(() -> store.ask(redis -> redis.xadd(KEYSPACE.history(), "k", "o")));
            refused(() -> store.ask(redis -> redis.del(KEYSPACE.history())));
            refused(() -> store.ask(redis -> redis.get(KEYSPACE.prefix() + "other")));
            refused(() -> store.ask(redis -> redis.xrange("else", Range.unbounded())));
            refused(() -> store.ask(redis -> redis.flushall()));
            refused(() -> store.ask(redis -> redis.keys("*")));
            refused(() -> store.ask(redis -> redis.configGet("*")));
            refused(() -> store.ask(redis -> redis.eval("return 1", ScriptOutputType.INTEGER)));
            refused(() -> store.ask(redis -> redis.functionLoad("#!lua name=mine\n")));
            refused(() -> store.ask(redis -> redis.aclWhoami()));
            refused(() -> store.ask(redis -> redis.aclSetuser("mine", AclSetuserArgs.Builder.on())));
        }
    }

    @Test
    void theUserOfHistoryReadsLiveFiguresAndChangesNone() {
        REDIS.store().ask(redis -> redis.functionLoad(Lifecycle.LIBRARY.source(), true));
        try (RedisStore store = historysStore(true)) {
            Lifecycle its = new Lifecycle(store);
            assertThat(its.control(KEYSPACE, 1).snapshot(List.of("u1"))).isEmpty();
            String set = KEYSPACE.prefix() + "taskset:u1";
            REDIS.store().ask(redis -> redis.hset(set, "status", "r"));
            String status = store.ask(redis -> redis.hget(set, "status"));
            assertThat(status).isEqualTo("r");
            refused(() -> store.ask(redis -> redis.hset(set, "status", "f")));
            refused(() -> store.ask(redis -> redis.unlink(set)));
            refused(() -> store.ask(redis -> redis.hset(KEYSPACE.pool("p"), "uid", "x")));
            assertThat(its.trees(KEYSPACE).report("none", 0)).isEmpty();
        }
    }

    @Test
    void whereTheServerHasNoFunctionsTheUserRunsScriptsByTheirText() throws Exception {
        append(EntryFields.of(new RandomEntries(11).entry()));
        try (RedisStore store = historysStore(false)) {
            HistoryStream its = new HistoryStream(store, KEYSPACE);
            assertThat(its.trim(its.read(256))).isEqualTo(1);
            refused(() -> store.ask(redis -> redis.flushall()));
        }
    }

    private static RedisStore historysStore(boolean functions) {
        CommandArgs<String, String> user =
                new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add("history");
        HistoryRights.rules(
                        functions ? CallRights.of(FunctionRights.of(Lifecycle.LIBRARY)) : CallRights.withoutFunctions())
                .forEach(user::add);
        user.add(">secret");
        REDIS.store().ask(redis -> redis.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), user));
        String uri = "redis://history:secret@127.0.0.1:" + REDIS.process().port();
        return PatientStore.open(RedisEndpoint.standalone(uri), "history", Lifecycle.LIBRARY);
    }

    private static void refused(ThrowingCallable call) {
        assertThatThrownBy(call).hasMessageContaining("NOPERM");
    }
}
