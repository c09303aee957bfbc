package dev.quiver.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.CallRights;
import dev.quiver.lifecycle.redis.FunctionRights;
import dev.quiver.lifecycle.redis.PatientStore;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisRights;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.Script;
import dev.quiver.lifecycle.redis.ScriptReply;

/** Records and arguments that a tenant wrote, each of which kept Redis busy for ever. Beside them, what its users may not do. */
@Timeout(120)
class HostileRecordsIT {

    private static final String P = HostileKeyspace.P;
    private static final String LEAF = "L\ts\t0\tp\th\t1\t0\t0\t1\t0\t\t\t\t\t";

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @BeforeEach
    void makeUsers() {
        admin().ask(redis -> redis.flushall());
        admin().ask(redis -> redis.functionLoad(Lifecycle.LIBRARY.source(), true));
        CallRights calls = CallRights.of(FunctionRights.of(Lifecycle.LIBRARY));
        user("worker", RedisRights.rules("team", calls, Optional.empty()));
        user("client", RedisRights.clientRules("team", calls));
        admin().ask(redis -> redis.hset(P + "meta", "schema", "1"));
    }

    private static RedisStore admin() {
        return REDIS.store();
    }

    private static void user(String name, List<String> rules) {
        CommandArgs<String, String> words =
                new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add(name);
        rules.forEach(words::add);
        words.add(">secret");
        admin().ask(redis -> redis.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), words));
    }

    private static RedisStore as(String user) {
        String uri = "redis://" + user + ":secret@127.0.0.1:" + REDIS.process().port();
        return PatientStore.open(RedisEndpoint.standalone(uri), user, Lifecycle.LIBRARY);
    }

    private static ScriptReply run(RedisStore store, String name, String... arguments) {
        Script script = Script.of(name);
        List<String> keys = new ArrayList<>();
        script.keys().forEach(key -> keys.add(HostileKeyspace.key(name.split("/")[0], key)));
        if (script.restKey().isPresent()) {
            keys.addAll(HostileKeyspace.queue("p"));
        }
        return store.run(script, keys.toArray(String[]::new), arguments);
    }

    private static String group(String first, String count, String stride, String created) {
        return String.join(
                        "\t", "G", "i", "", "", "", "1", "0", "0", "1", "0", "", "", "", "", first, count, stride,
                        created)
                + "\t0\t0\t\t\t\t\t";
    }

    @ParameterizedTest
    @CsvSource({"1000000000000000, 0", "1e308, 1", "10000, 0", "nan, 1", "5, 1e308"})
    void aProgramSubmitsNoGroupWithoutAnEnd(String count, String stride) {
        try (RedisStore client = as("client")) {
            String root = group("1", count, stride, "0").replaceFirst("\ti\t", "\tw\t");
            assertThatThrownBy(() -> run(
                            client,
                            "task/submit",
                            "1",
                            "3600000",
                            "AAAAAAAAAAAAAA",
                            "\t0\t2\t\t\t\t\t\t\t",
                            "0",
                            "1",
                            "2",
                            "AAAAAAAAAAAAAA.1",
                            LEAF,
                            "{}",
                            "AAAAAAAAAAAAAA",
                            root,
                            "{}"))
                    .hasMessageContaining("AAAAAAAAAAAAAA")
                    .hasMessageContaining("cannot be read");
        }
        long written = admin().ask(redis -> redis.exists(P + "task:body", P + "task:roots", P + "task:producer:x"));
        assertThat(written).as("keys that were written").isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1000000000000000", "-1", "1e308", "nan", "0.5", ""})
    void aNumberOfRowsThatIsNoneIsRefused(String nodes) {
        try (RedisStore client = as("client")) {
            assertThatThrownBy(() -> run(
                            client,
                            "task/submit",
                            "1",
                            "3600000",
                            "t",
                            "\t0\t1\t\t\t\t\t\t\t",
                            "0",
                            "1",
                            nodes,
                            "t",
                            LEAF,
                            "{}"))
                    .hasMessageContaining("number of nodes");
        }
    }

    @ParameterizedTest
    @CsvSource({"1e308, 1", "999999999999999, 1", "5, 1e308", "nan, nan", "inf, 1"})
    void theOperatorsLookAtAWrittenRecordEnds(String created, String stride) {
        admin().ask(redis -> redis.hset(P + "task:roots", "T", "\t1\t3\t\t\t\t\t\t\t"));
        admin().ask(redis -> redis.hset(P + "task:nodes", "T", group("1", "2", stride, created)));
        assertThat(run(admin(), "task/report", "T", "1000", "32").rows("nodes")).isNotEmpty();
        admin().ask(redis -> redis.zadd(P + "task:commands", 0, "advance\tT\t\tp\t1"));
        run(admin(), "task/run_commands", "advance\tT\t\tp\t1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1000000000000000", "1e308", "nan", "-1", "1.5"})
    void anArgumentOutOfBoundsIsRefusedByItsName(String last) {
        assertThatThrownBy(() -> run(admin(), "task/drop", "", "T", "1000", last))
                .hasMessageContaining("argument last")
                .hasMessageContaining(last)
                .hasMessageContaining("from 0 to 100000");
        assertThatThrownBy(() -> run(admin(), "idoit/drop", "", "T", "1000", last, "legacy:", "x"))
                .hasMessageContaining("argument last");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e308", "-1e308", "nan", "999999999999999", "-1000000000000000"})
    void placesInWrittenCommandsAreBounded(String data) {
        admin().ask(redis -> redis.hset(P + "task:roots", "T", ""));
        admin().ask(redis ->
                redis.hset(P + "task:nodes", "U", group("1", "2", "1", "2").replaceFirst("\ti\t", "\tx\t")));
        for (String command : List.of("abandon\tT\t", "prune\tU\t", "sweep\tU\t")) {
            String whole = command + data + "\t\t1";
            admin().ask(redis -> redis.zadd(P + "task:commands", 0, whole));
            run(admin(), "task/run_commands", whole);
        }
    }

    @Test
    void nodesThatLeadInACircleEnd() {
        String group = group("0", "2", "1", "2").replaceFirst("\ti\t", "\tx\t");
        admin().ask(redis -> redis.hset(P + "task:roots", "T", "\t0\t3\t\t\t\t\t\t\t"));
        for (String id : List.of("T", "T.1")) {
            admin().ask(redis -> redis.hset(P + "task:nodes", id, group));
        }
        List<String> commands = List.of("prune\tT\t\t\t1");
        admin().ask(redis -> redis.zadd(P + "task:commands", 0, "prune\tT\t\t\t1"));
        for (int round = 0; !commands.isEmpty(); round++) {
            assertThat(round).as("rounds of commands").isLessThan(10);
            ScriptReply reply = run(admin(), "task/run_commands", commands.toArray(String[]::new));
            commands = reply.texts("commands");
        }
    }

    /** Without one, the command that starts it waits for no queue: it leaves itself, and is run again at once. */
    @ParameterizedTest
    @ValueSource(strings = {"L", "I", "K"})
    void whatWorkersRunHasAPool(String kind) {
        String root = (kind.equals("L") ? LEAF : group("0", "0", "1", "0"))
                .replaceFirst("^.\t.\t0?\tp?\t", kind + "\tw\t\t\t");
        try (RedisStore client = as("client")) {
            assertThatThrownBy(() -> run(
                            client,
                            "task/submit",
                            "1",
                            "3600000",
                            "T",
                            "\t0\t1\t\t\t\t\t\t\t",
                            "0",
                            "0",
                            "1",
                            "T",
                            root,
                            "{}"))
                    .hasMessageContaining("cannot be read");
        }
        admin().ask(redis -> redis.hset(P + "task:roots", "T", "\t0\t1\t\t\t\t\t\t\t"));
        admin().ask(redis -> redis.hset(P + "task:nodes", "T", root));
        assertThat(commandsRun("activate\tT\t\t\t1")).isLessThan(5);
    }

    /** A page leaves one command for each child at most, and no node is below itself. */
    @ParameterizedTest
    @CsvSource({
        "'', 0, 0, ''", // the root is a child of its own
        "'', 0, 0, 0", // and the node that runs at its end
        "'', 1, 1, 2", // a child is a child of its own
        "0, 1, 2, 1", // two that lie below each other
        "1, 1, 1, ''"
    })
    void aTreeThatLeadsInACircleIsClearedAway(String parent, String first, String ofChild, String atEnd) {
        for (String kind : List.of("prune", "sweep")) {
            admin().ask(redis -> redis.hset(P + "task:roots", "T", "\t0\t3\t" + atEnd + "\t\t\t\t\t\t"));
            admin().ask(redis -> redis.hset(P + "task:nodes", "T", ended("", first)));
            admin().ask(redis -> redis.hset(P + "task:nodes", "T.1", ended(parent, ofChild)));
            admin().ask(redis -> redis.hset(P + "task:nodes", "T.2", ended("1", "1")));
            assertThat(commandsRun(kind + "\tT\t\t\t1")).as(kind).isLessThan(1000);
            assertThat(commandsRun(kind + "\tT.1\t\t\t1")).as(kind).isLessThan(1000);
        }
    }

    /** One that has ended, with as many children as a node may have: 40 pages of them. */
    private static String ended(String parent, String first) {
        return group(first, "10000", "1", "0").replaceFirst("\ti\t\t", "\tx\t" + parent + "\t");
    }

    @Test
    void aLeafHasNothingBelowIt() {
        admin().ask(redis -> redis.hset(P + "task:roots", "T", "\t0\t2\t\t\t\t\t\t\t"));
        admin().ask(redis -> redis.hset(P + "task:nodes", "T", LEAF.replaceFirst("\ts\t0", "\tx\t")));
        admin().ask(redis -> redis.hset(P + "task:nodes", "T.1", LEAF));
        assertThat(commandsRun("prune\tT\t\t\t1")).isLessThan(5);
        assertThat(commandsRun("expire\tT.1\t\t\t1")).isLessThan(5);
    }

    @Test
    void anEntryThatIsNoChildIsPassedOver() {
        String iterator = ended("", "0").replaceFirst("^G\tx\t\t", "I\tx\t\tp");
        admin().ask(redis -> redis.hset(P + "task:nodes", "T", iterator));
        admin().ask(redis -> redis.zadd(P + "task:children", 0, "T/none"));
        assertThat(commandsRun("sweep\tT\t\t\t1")).isLessThan(5);
        assertThat(admin().<Long>ask(redis -> redis.zcard(P + "task:children"))).isZero();
    }

    /** Runs a command and all that it leaves for Redis alone, and says how many those were. */
    private static int commandsRun(String command) {
        admin().ask(redis -> redis.zadd(P + "task:commands", 0, command));
        List<String> due = List.of(command);
        int ran = 0;
        while (!due.isEmpty() && ran < 2000) {
            ran += run(admin(), "task/run_commands", due.toArray(String[]::new)).count("ran");
            due = admin().ask(redis -> redis.zrange(P + "task:commands", 0, 63));
        }
        return ran;
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "0.5", "1e308", "nan", "-2", "257"})
    void aCombineOfOneResultIsRefused(String fanIn) {
        String source = P + "chunks:T.2";
        admin().ask(redis -> redis.zadd(P + "sessions", 9e15, "s"));
        for (String name : HostileKeyspace.SOURCE_NUMBERS) {
            admin().ask(redis -> redis.hset(source, name, "3"));
        }
        admin().ask(redis -> redis.hset(source, "fan_in", fanIn));
        admin().ask(redis -> redis.hset(source, "status", "running"));
        admin().ask(redis -> redis.hset(source, "keeps", "1"));
        admin().ask(redis -> redis.hset(source + ":held:s", "999999999999999", "1@1.1"));
        try (RedisStore worker = as("worker")) {
            assertThatThrownBy(() -> run(
                            worker,
                            "ordinals/step",
                            "s",
                            "0",
                            "2",
                            "chunks:T.2",
                            "65536",
                            "1",
                            "",
                            "",
                            "",
                            "0",
                            "999999999999999",
                            "1",
                            "p",
                            "5",
                            "1"))
                    .hasMessageContaining("chunks:T.2")
                    .hasMessageContaining("numbers of its combines");
        }
    }

    @Test
    void aUserCallsTheFunctionsOfItsRoleAndStaysInItsDatabase() {
        try (RedisStore worker = as("worker");
                RedisStore client = as("client")) {
            for (RedisStore user : List.of(worker, client)) {
                assertThatThrownBy(() -> run(user, "task/drop", "", "T", "1000", "0"))
                        .hasMessageContaining("NOPERM");
                assertThatThrownBy(() -> run(user, "taskset/drop", "1", "u", "1000", "10"))
                        .hasMessageContaining("NOPERM");
            }
            assertThatThrownBy(() -> run(worker, "task/submit", "1", "3600000")).hasMessageContaining("NOPERM");
            run(client, "task/submit", "1", "3600000");
            assertThatThrownBy(() -> run(client, "task/attend")).hasMessageContaining("NOPERM");
            run(worker, "task/attend");
        }
        for (String user : List.of("worker", "client")) {
            String uri =
                    "redis://" + user + ":secret@127.0.0.1:" + REDIS.process().port();
            try (RedisStore other = PatientStore.open(RedisEndpoint.standalone(uri + "/1"), user)) {
                assertThatThrownBy(other::ping).hasMessageContaining("NOPERM");
            }
            try (RedisStore own = PatientStore.open(RedisEndpoint.standalone(uri + "/0"), user)) {
                own.ping();
            }
        }
        assertThat(Keyspace.ofNamespace("team").prefix()).isEqualTo(P);
    }
}
