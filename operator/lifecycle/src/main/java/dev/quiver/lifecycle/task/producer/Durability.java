package dev.quiver.lifecycle.task.producer;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisLink;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.RedisVersion;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.redis.StoreUnreachableException;

/**
 * Waits until all that was written survives the loss of Redis' machine. Its disk has it then (WAITAOF, from Redis 7.2 on and in
 * Valkey). A Redis that cannot tell so is asked for a replica (WAIT). Thread-safe.
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

    private enum Way {
        WAITAOF,
        WAIT;

        private final byte[] command = name().getBytes(StandardCharsets.US_ASCII);
    }

    /** A command by its name. */
    private record Named(Way way) implements ProtocolKeyword {

        @Override
        public byte[] getBytes() {
            return way.command.clone();
        }
    }

    /**
     * Whether this Redis can tell.
     *
     * @throws StoreRefusedException in words, where it cannot
     */
    public void check() {
        way();
    }

    private Way way() {
        Map<String, String> info = waiting.ask(commands -> commands.info())
                .lines()
                .map(line -> line.split(":", 2))
                .filter(field -> field.length == 2)
                .collect(Collectors.toMap(field -> field[0], field -> field[1].strip(), (first, _) -> first));
        String version = info.getOrDefault("redis_version", "");
        if (new RedisVersion(version).tellsOfDisk() && "1".equals(info.get("aof_enabled"))) {
            return Way.WAITAOF;
        }
        if (Integer.parseInt(info.getOrDefault("connected_slaves", "0")) > 0) {
            return Way.WAIT;
        }
        throw new StoreRefusedException(
                StoreRefusedException.Kind.OTHER,
                "this Redis cannot tell when tasks survive the loss of its machine: that takes appendonly with Redis 7.2 or"
                        + " Valkey, or a replica; it has version " + version + ", aof_enabled "
                        + info.get("aof_enabled") + " and no replica",
                null);
    }

    /**
     * Returns when all that was written before is durable.
     *
     * @throws StoreRefusedException where this Redis cannot tell
     * @throws StoreUnreachableException where it did not confirm that in time; it may be durable all the same
     */
    public void await(Duration patience) {
        long until = System.nanoTime() + patience.toNanos();
        Way way = way();
        while (!confirmed(way)) {
            if (System.nanoTime() > until || Thread.currentThread().isInterrupted()) {
                throw new StoreUnreachableException(
                        "the tasks are created, and "
                                + (way == Way.WAITAOF ? "the disk of Redis has not" : "no replica has")
                                + " confirmed them in " + patience.toSeconds() + " s",
                        null);
            }
        }
    }

    /** Redis waits for what this very connection wrote, so both commands go over it together. */
    private boolean confirmed(Way way) {
        CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8).add(1);
        if (way == Way.WAITAOF) {
            arguments.add(0);
        }
        arguments.add(ONE_WAIT.toMillis());
        List<Object> confirmed = waiting.ask(commands -> commands.hset(keyspace.meta(), MARK, "1")
                .thenCombine(
                        commands.dispatch(new Named(way), new ArrayOutput<>(StringCodec.UTF8), arguments),
                        (_, answer) -> answer));
        return (Long) confirmed.getFirst() > 0;
    }

    @Override
    public void close() {
        waiting.close();
    }
}
