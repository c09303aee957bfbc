package dev.quiver.lifecycle.task.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.KeyspaceCalls;
import dev.quiver.lifecycle.keyspace.KeyspaceHealth;
import dev.quiver.lifecycle.redis.CallRights;
import dev.quiver.lifecycle.redis.EntryPoints;
import dev.quiver.lifecycle.redis.FunctionRights;
import dev.quiver.lifecycle.redis.PatientStore;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisRights;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.Script;
import dev.quiver.lifecycle.redis.ScriptLibrary;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.redis.TextScript;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.tree.TaskTrees;

/**
 * A program of this release goes on while the operator is replaced by one of the next release. There, submit wants one
 * argument more in front of the others, and answers one value more. This release's library is deleted.
 */
class EarlierProgramsIT {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int NEXT = KeyspaceHealth.CALLS + 1;

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private RedisStore client;
    private TaskProducer producer;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        try (RedisStore operator = PatientStore.open(REDIS.endpoint(), "operator", Lifecycle.LIBRARY)) {
            operator.ask(redis -> redis.functionFlush(io.lettuce.core.FlushMode.SYNC));
            operator.ask(redis -> redis.functionLoad(Lifecycle.LIBRARY.source()));
            new Lifecycle(operator).health(world.keyspace, 1).observe(Optional.empty());
        }
        grant(Lifecycle.LIBRARY);
        String namespace = world.keyspace.namespace();
        client = PatientStore.open(
                RedisEndpoint.standalone("redis://client-" + namespace + ":secret@127.0.0.1:"
                        + REDIS.process().port()),
                "client",
                ScriptLibrary.loaded("quiver_none"));
        KeyspaceCalls.follow(client, world.keyspace);
        producer = new TaskProducer(client, world.keyspace, () -> KeyspaceCalls.follow(client, world.keyspace));
    }

    @AfterEach
    void end() {
        client.close();
        world.close();
    }

    private void grant(ScriptLibrary library) {
        String namespace = world.keyspace.namespace();
        CommandArgs<String, String> rules = new CommandArgs<>(StringCodec.UTF8)
                .add("SETUSER")
                .add("client-" + namespace)
                .add("reset");
        List<Map<String, Object>> listed = world.store.ask(redis -> redis.functionList());
        RedisRights.clientRules(namespace, CallRights.of(FunctionRights.of(library, listed)))
                .forEach(rules::add);
        rules.add(">secret").add("on");
        world.store.ask(all -> all.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), rules));
    }

    private void upgrade(ScriptLibrary library, int oldest) {
        world.store.ask(redis -> redis.functionLoad(library.source()));
        world.store.ask(redis -> redis.hset(
                world.keyspace.meta(),
                Map.of("library", library.name(), "calls", "" + NEXT, "oldest_calls", "" + oldest)));
        world.store.ask(redis -> redis.dispatch(
                CommandType.FUNCTION,
                new StatusOutput<>(StringCodec.UTF8),
                new CommandArgs<>(StringCodec.UTF8).add("DELETE").add(Lifecycle.LIBRARY.name())));
        grant(library);
    }

    private static ScriptLibrary next(List<Script> adapters) {
        List<Script> scripts = new ArrayList<>(TaskScripts.ALL);
        scripts.replaceAll(script -> script == TaskScripts.SUBMIT ? submitOfNext() : script);
        return ScriptLibrary.of(scripts, new EntryPoints(NEXT, KeyspaceHealth.CALLS, adapters));
    }

    private static Script submitOfNext() {
        List<String> lines = new ArrayList<>();
        for (String line : TextScript.lines(TaskScripts.SUBMIT)) {
            if (line.startsWith("-- ARGV batch")) {
                lines.add("-- ARGV flavour: 1..9; what the next release wants first");
            }
            lines.add(line.replace("{OK, counted", "{OK, flavour, counted")
                    .replace("{GAP, last", "{GAP, flavour, last")
                    .replaceAll("\\{OK, ([01])\\}", "{OK, arg_flavour, $1}"));
        }
        assertThat(lines).anyMatch(line -> line.contains("{OK, arg_flavour, 1}"));
        return TextScript.of(TaskScripts.SUBMIT.name(), lines);
    }

    /** The header of this release, and how its call becomes one of the next. */
    private static Script adapter() {
        List<String> lines = new ArrayList<>(List.of("-- FOR client", "-- FLAGS"));
        TaskScripts.SUBMIT.keys().forEach(key -> lines.add("-- KEYS " + key + ": as it was"));
        lines.add("-- KEYS queues...: 0..512; as they were");
        TaskScripts.SUBMIT.arguments().forEach(argument -> lines.add("-- ARGV " + argument + ": as it was"));
        lines.addAll(List.of(
                "-- ARGV trees...: 0..3000; as they were",
                "-- RETURNS {OK, counted, commands...} | {GAP, last}",
                "local arguments = {'7'}",
                "for i = 1, #ARGV do arguments[i + 1] = ARGV[i] end",
                "local reply = current(KEYS, arguments)",
                "if not reply.err then table.remove(reply, 2) end",
                "return reply"));
        return TextScript.of("earlier/" + KeyspaceHealth.CALLS + "/" + TaskScripts.SUBMIT.name(), lines);
    }

    private void submit(String id) {
        producer.submit(
                Submission.of(List.of(new TaskTree(
                        id,
                        World.leaf("leaf", "p", "h"),
                        Optional.empty(),
                        false,
                        Optional.empty(),
                        Duration.ZERO,
                        Optional.of(Duration.ofHours(1))))),
                PATIENCE);
    }

    private List<String> trees() {
        return world.store.ask(redis -> redis.hkeys(world.keys.roots()));
    }

    @Test
    void programGoesOnWithTheNextRelease() {
        submit("before");
        upgrade(next(List.of(adapter())), KeyspaceHealth.CALLS);
        submit("after");
        submit("again");
        assertThat(trees()).containsExactlyInAnyOrder("before", "after", "again");
        assertThat(new TaskTrees(client, world.keyspace).change("after", Trees.Change.CANCEL))
                .as("a script that is as it was")
                .isTrue();
    }

    @Test
    void programThatStartsAfterTheUpgradeStatesItsVersion() {
        ScriptLibrary next = next(List.of(adapter()));
        upgrade(next, KeyspaceHealth.CALLS);
        KeyspaceCalls.follow(client, world.keyspace);
        assertThat(client.library().orElseThrow().isCalledAs(ScriptLibrary.loaded(next.name(), KeyspaceHealth.CALLS)))
                .isTrue();
        submit("t");
        assertThat(trees()).containsExactly("t");
    }

    @Test
    void withoutTheAdapterTheCallIsAnotherOne() {
        upgrade(next(List.of()), KeyspaceHealth.CALLS);
        assertThatThrownBy(() -> submit("t")).isInstanceOf(StoreRefusedException.class);
        assertThat(trees()).isEmpty();
    }

    @Test
    void aReleaseThatHasNoSuchEntryPointsRefusesInWords() {
        upgrade(next(List.of(adapter())), NEXT);
        assertThatThrownBy(() -> submit("t"))
                .hasMessageContaining("version " + NEXT + " of its calls")
                .hasMessageContaining("this client knows " + KeyspaceHealth.CALLS);
    }

    @Test
    void anAdapterOfNothingIsRefused() {
        Script stray =
                TextScript.of("earlier/" + KeyspaceHealth.CALLS + "/task/gone", TextScript.lines(TaskScripts.TREES));
        assertThatThrownBy(() -> next(List.of(stray))).hasMessageContaining("task/gone");
    }
}
