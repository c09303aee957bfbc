package dev.quiver.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.history.stream.HistoryRights;
import dev.quiver.lifecycle.redis.CallRights;
import dev.quiver.lifecycle.redis.FunctionRights;
import dev.quiver.lifecycle.redis.RedisRights;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.Script;
import dev.quiver.lifecycle.redis.ScriptRole;

/**
 * Calls every function under the rules of every user, and under the operator's, over keys that a tenant has written by
 * hand. No call may keep Redis busy for a second, since everybody else waits so long. Measured is the processor time of
 * Redis' one thread, which a busy machine does not lengthen. The seed is printed: {@code -Dfuzz.seed} and {@code
 * -Dfuzz.calls} repeat a run, or make a longer one.
 */
class FunctionsFuzzIT {

    private static final long SEED = Long.getLong("fuzz.seed", 20_251);
    private static final int CALLS = Integer.getInteger("fuzz.calls", 3000);
    private static final int CALLS_OF_A_KEYSPACE = 40;
    private static final double MOST_SECONDS = 1;
    private static final long ENDLESS_SECONDS = 60;
    private static final Pattern CPU = Pattern.compile("used_cpu_(?:sys|user)_main_thread:([\\d.]+)");

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer("--maxmemory", "512mb", "--maxmemory-policy", "noeviction");

    private static RedisClient client;
    private static final Map<ScriptRole, RedisAsyncCommands<String, String>> USERS = new EnumMap<>(ScriptRole.class);

    @BeforeAll
    static void makeUsers() {
        client = RedisClient.create();
        REDIS.store().ask(redis -> redis.functionLoad(Lifecycle.LIBRARY.source(), true));
        CallRights calls = CallRights.of(FunctionRights.of(Lifecycle.LIBRARY));
        user(ScriptRole.WORKER, RedisRights.rules("team", calls, Optional.of(HostileKeyspace.PREFIX)));
        user(ScriptRole.CLIENT, RedisRights.clientRules("team", calls));
        user(ScriptRole.HISTORY, HistoryRights.rules(calls));
        USERS.put(ScriptRole.OPERATOR, connect("redis://127.0.0.1:" + port()).async());
    }

    @AfterAll
    static void disconnect() {
        client.shutdown();
    }

    @Test
    void everyCallEndsSoon() throws Exception {
        System.out.println("fuzz.seed " + SEED + ", fuzz.calls " + CALLS);
        List<Script> scripts = scripts().toList();
        Map<String, Integer> executed = new HashMap<>();
        for (int number = 0; number < CALLS; number++) {
            Hostile hostile = new Hostile(new Random(SEED * 1_000_003 + number));
            if (number % CALLS_OF_A_KEYSPACE == 0) {
                fill(hostile);
            }
            Script script = scripts.get(number % scripts.size());
            List<ScriptRole> roles = List.copyOf(hostile.chance(85) ? script.roles() : USERS.keySet());
            ScriptRole role = hostile.of(roles);
            HostileCall call = HostileCall.of(script, hostile);
            String words = "call " + number + " of seed " + SEED + ": " + script.name() + " by " + role + " with "
                    + shortened(call);
            double before = seconds();
            Optional<String> refusal = answer(USERS.get(role), script, call, words);
            assertThat(seconds() - before).as(words).isLessThan(MOST_SECONDS);
            boolean noRight =
                    refusal.filter(text -> text.contains("'fcall' command")).isPresent();
            assertThat(noRight)
                    .as(words + refusal)
                    .isEqualTo(role != ScriptRole.OPERATOR && !script.roles().contains(role));
            if (refusal.isEmpty()) {
                executed.merge(script.name(), 1, Integer::sum);
            }
        }
        System.out.println("calls without an error, by script: " + executed);
        if (CALLS >= scripts.size() * 10) {
            assertThat(executed.keySet())
                    .as("scripts of which some calls did something")
                    .hasSizeGreaterThan(scripts.size() * 3 / 4);
        }
    }

    /** Scripts in both of their forms. */
    static Stream<Script> scripts() {
        return Lifecycle.SCRIPTS.stream();
    }

    private static void fill(Hostile hostile) throws Exception {
        RedisAsyncCommands<String, String> redis = USERS.get(ScriptRole.OPERATOR);
        redis.flushall().get(ENDLESS_SECONDS, TimeUnit.SECONDS);
        List<Future<String>> written = new ArrayList<>();
        for (List<String> write : new HostileKeyspace(hostile).writes()) {
            CommandArgs<String, String> words = new CommandArgs<>(StringCodec.UTF8);
            write.subList(1, write.size()).forEach(words::add);
            ProtocolKeyword command = CommandType.valueOf(write.getFirst());
            written.add(redis.dispatch(command, new StatusOutput<>(StringCodec.UTF8), words));
        }
        for (Future<String> one : written) {
            try {
                one.get(ENDLESS_SECONDS, TimeUnit.SECONDS);
            } catch (ExecutionException refused) {
                // A value that Redis refuses, for example a score that is no number, is not there.
            }
        }
    }

    /** The refusal, in words. */
    private static Optional<String> answer(
            RedisAsyncCommands<String, String> user, Script script, HostileCall call, String words) throws Exception {
        CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8)
                .add(Lifecycle.LIBRARY.name() + "_" + script.name().replace('/', '_'))
                .add(call.keys().size());
        call.keys().forEach(arguments::add);
        call.arguments().forEach(arguments::add);
        try {
            user.dispatch(CommandType.FCALL, new NestedMultiOutput<>(StringCodec.UTF8), arguments)
                    .get(ENDLESS_SECONDS, TimeUnit.SECONDS);
            return Optional.empty();
        } catch (ExecutionException refused) {
            return Optional.of(String.valueOf(refused.getCause().getMessage()));
        } catch (TimeoutException endless) {
            throw new AssertionError(words + " does not end", endless);
        }
    }

    /** The time that Redis' thread has used of the processor. */
    private static double seconds() throws Exception {
        Matcher used = CPU.matcher(USERS.get(ScriptRole.OPERATOR).info("cpu").get(ENDLESS_SECONDS, TimeUnit.SECONDS));
        double sum = 0;
        while (used.find()) {
            sum += Double.parseDouble(used.group(1));
        }
        return sum;
    }

    private static String shortened(HostileCall call) {
        String text = call.arguments().toString();
        return text.length() > 2000 ? text.substring(0, 2000) + "…" : text;
    }

    private static void user(ScriptRole role, List<String> rules) {
        CommandArgs<String, String> words =
                new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add(role.name());
        rules.forEach(words::add);
        words.add(">secret");
        REDIS.store().ask(redis -> redis.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), words));
        USERS.put(
                role,
                connect("redis://" + role.name() + ":secret@127.0.0.1:" + port())
                        .async());
    }

    private static StatefulRedisConnection<String, String> connect(String uri) {
        return client.connect(RedisURI.create(uri));
    }

    private static int port() {
        return REDIS.process().port();
    }
}
