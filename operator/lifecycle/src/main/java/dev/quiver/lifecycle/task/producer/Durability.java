package dev.quiver.lifecycle.task.producer;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisLink;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.redis.StoreUnreachableException;

/**
 * Waits until all that was written survives the loss of Redis' machine. Its disk has it then (WAITAOF, from Redis 7.2 on and in
 * Valkey), and a replica where there is one (WAIT). Thread-safe; those who wait do so one after the other.
 */
public final class Durability implements AutoCloseable {

    /** Where programs write what they wait for: any write behind theirs is as durable as they are at the earliest. */
    private static final String MARK = "durable";

    private static final Duration ONE_WAIT = Duration.ofSeconds(1);

    private final Keyspace keyspace;
    private final RedisLink waiting;

    /** On a connection of its own, which is made at the first use. */
    public Durability(RedisStore store, Keyspace keyspace) {
        this.keyspace = keyspace;
        this.waiting = store.blocking();
    }

    /** The ways in which a Redis tells. */
    public enum Way {
        /** Its disk has it. */
        WAITAOF(List.of(1, 0)),
        /** A replica has it. */
        WAIT(List.of(1));

        private final byte[] command = name().getBytes(StandardCharsets.US_ASCII);
        private final List<Integer> needed;

        Way(List<Integer> needed) {
            this.needed = needed;
        }
    }

    /** A command by its name. */
    private record Named(Way way) implements ProtocolKeyword {

        @Override
        public byte[] getBytes() {
            return way.command.clone();
        }
    }

    /**
     * A Redis that can tell. Asked for before the first write that is waited for, and kept until that is over.
     *
     * @param ways how it tells
     * @param process its run id: another one may have lost what this one confirmed
     */
    public record Witness(List<Way> ways, String process) {}

    /**
     * The Redis that answers now.
     *
     * @throws StoreRefusedException in words, where it cannot tell
     */
    public Witness witness() {
        Map<String, String> info = info(waiting.ask(commands -> commands.info()));
        boolean replicas = Integer.parseInt(info.getOrDefault("connected_slaves", "0")) > 0;
        List<Way> ways = new ArrayList<>();
        if ("1".equals(info.get("aof_enabled")) && may(Way.WAITAOF)) {
            ways.add(Way.WAITAOF);
        }
        if (replicas && may(Way.WAIT)) {
            ways.add(Way.WAIT);
        }
        if (ways.isEmpty() || "cluster".equals(info.get("redis_mode"))) {
            throw new StoreRefusedException(
                    StoreRefusedException.Kind.OTHER,
                    "this Redis cannot tell when tasks survive the loss of its machine: that takes appendonly with Redis"
                            + " 7.2 or Valkey, or a replica, and no cluster; it has version "
                            + info.get("redis_version") + ", aof_enabled " + info.get("aof_enabled") + " and "
                            + (replicas ? "a" : "no") + " replica",
                    null);
        }
        return new Witness(List.copyOf(ways), info.getOrDefault("run_id", ""));
    }

    private static Map<String, String> info(String text) {
        return text.lines()
                .map(line -> line.split(":", 2))
                .filter(field -> field.length == 2)
                .collect(Collectors.toMap(field -> field[0], field -> field[1].strip(), (first, _) -> first));
    }

    /** Whether this Redis has the command, and its user the right to it: it is asked to wait for nobody. */
    private boolean may(Way way) {
        CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8);
        way.needed.forEach(_ -> arguments.add(0));
        arguments.add(1);
        try {
            waiting.ask(commands -> commands.dispatch(new Named(way), new ArrayOutput<>(StringCodec.UTF8), arguments));
            return true;
        } catch (StoreRefusedException no) {
            return false;
        }
    }

    /**
     * Returns when all that was written since is durable.
     *
     * @throws StoreUnreachableException where it did not confirm that in time, or is another Redis by now. The tasks are created;
     *     the words say what is known
     */
    public void await(Witness witness, Duration patience) {
        long until = System.nanoTime() + patience.toNanos();
        StoreException last = null;
        boolean other = false;
        do {
            try {
                Answer answer = ask(witness);
                last = null;
                other = !answer.process().equals(witness.process());
                if (answer.confirmed() && !other) {
                    return;
                }
            } catch (StoreException problem) {
                last = problem;
            }
        } while (!other && System.nanoTime() < until && !Thread.currentThread().isInterrupted());
        throw new StoreUnreachableException(
                other
                        ? "the tasks were created, and then another Redis answered: whether it has them is not known. Look at their"
                                + " states, and make those anew that are gone"
                        : "the tasks are created, and "
                                + (witness.ways().contains(Way.WAITAOF)
                                        ? "the disk of Redis has not"
                                        : "no replica has")
                                + " confirmed them in " + patience.toSeconds() + " s",
                last);
    }

    private record Answer(boolean confirmed, String process) {}

    /** Redis waits for what this very connection wrote, so all commands go over it together. */
    private Answer ask(Witness witness) {
        return waiting.ask(commands -> {
            CompletionStage<Boolean> all =
                    commands.hset(keyspace.meta(), MARK, "1").thenApply(_ -> true);
            for (Way way : witness.ways()) {
                all = all.thenCombine(wait(commands, way), Boolean::logicalAnd);
            }
            return all.thenCombine(
                    commands.info("server"),
                    (confirmed, info) -> new Answer(confirmed, info(info).getOrDefault("run_id", "")));
        });
    }

    private static CompletionStage<Boolean> wait(RedisClusterAsyncCommands<String, String> commands, Way way) {
        CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8);
        way.needed.forEach(arguments::add);
        arguments.add(ONE_WAIT.toMillis());
        return commands.dispatch(new Named(way), new ArrayOutput<>(StringCodec.UTF8), arguments)
                .thenApply(answer -> (Long) answer.getFirst() > 0);
    }

    @Override
    public void close() {
        waiting.close();
    }
}
