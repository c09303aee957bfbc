package dev.quiver.bench.history;

import java.io.Closeable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;

import dev.quiver.bench.Waiting;
import dev.quiver.lifecycle.history.EntryFields;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunNames;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * The history stream of a namespace, filled by the writers' own classes. Entries gather beside it and come all at once
 * with {@link #open}, so that a reader never sees a part. Not thread-safe.
 */
final class Stream implements Closeable {

    private static final int AT_ONCE = 512;
    private static final int NAMES = 500;
    private static final int WORKERS = 16;
    /** Between two steps of all workers together, whose slots are busy all the time. */
    private static final long STEP_MILLIS = Load.STEP / Load.SLOTS * Load.MEAN_MILLIS / WORKERS;

    private static final Duration PATIENCE = Duration.ofMinutes(60);

    private final String namespaceUid;
    private final Keyspace keyspace;
    private final RedisClient client;
    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final List<RedisFuture<?>> sent = new ArrayList<>();
    private final String session = UUID.randomUUID().toString();
    private long call;
    private long entries;

    /** Writes to the keyspace of that program's namespace. */
    Stream(int redisPort, HistoryProcess history) {
        this(redisPort, history.namespace(), history.namespaceUid());
    }

    /**
     * Writes to the keyspace of that namespace.
     *
     * @param namespaceUid by which readers tell it from an earlier one
     */
    Stream(int redisPort, String namespace, String namespaceUid) {
        this.namespaceUid = namespaceUid;
        keyspace = Keyspace.ofNamespace(namespace);
        client = RedisClient.create("redis://127.0.0.1:" + redisPort);
        connection = client.connect(ByteArrayCodec.INSTANCE);
        connection.setTimeout(Duration.ofMinutes(5));
        connection.setAutoFlushCommands(false);
    }

    /** Gathers a run: its opening, names where it has them, all its steps, its end. Returns its uid. */
    String gather(String name, Load load, boolean named) {
        String uid = UUID.randomUUID().toString();
        long at = System.currentTimeMillis() - load.tasks() / Load.STEP * STEP_MILLIS;
        RunOpening opening =
                RunOpening.of(RunKind.TASK_SET, name, at, load.tasks()).within(namespaceUid);
        add(new HistoryEntry.Opened(uid, at, named ? opening.in(name, uid) : opening));
        for (int from = 0; named && from < load.tasks(); from += NAMES) {
            List<String> names = new ArrayList<>();
            for (int task = from; task < Math.min(load.tasks(), from + NAMES); task++) {
                names.add("spec/models/part_" + task + "_spec.rb");
            }
            add(new HistoryEntry.Named(uid, at, new RunNames(uid, from, names, List.of())));
        }
        long now = at;
        for (long first = 0; first < load.tasks(); first += Load.STEP) {
            var rows = load.step(first);
            String worker = session + "-" + first / Load.STEP % WORKERS;
            now = at + first / Load.STEP * STEP_MILLIS;
            add(new HistoryEntry.Step(
                    uid, now, HistoryEntry.Source.SET, worker, ++call, "c".repeat(rows.settlements()), rows.encode()));
        }
        add(new HistoryEntry.Ended(uid, now, end(load, at)));
        return uid;
    }

    private static RunEnd end(Load load, long at) {
        long failed = load.failed();
        return new RunEnd(
                failed > 0 ? RunEnd.Status.FAILED : RunEnd.Status.SUCCEEDED,
                failed > 0 ? Optional.of("TasksFailed") : Optional.empty(),
                Optional.empty(),
                Optional.of(at),
                load.tasks(),
                load.tasks() - failed,
                0,
                failed,
                load.tasks(),
                0,
                (long) load.tasks() * Load.MEAN_MILLIS,
                0);
    }

    private void add(HistoryEntry entry) {
        CommandArgs<byte[], byte[]> arguments = new CommandArgs<>(ByteArrayCodec.INSTANCE)
                .addKey((keyspace.history() + ":filling").getBytes())
                .add("*");
        EntryFields.of(entry).forEach(arguments::add);
        sent.add(connection.async().dispatch(CommandType.XADD, new StatusOutput<>(ByteArrayCodec.INSTANCE), arguments));
        entries++;
        if (sent.size() == AT_ONCE) {
            flush();
        }
    }

    private void flush() {
        connection.flushCommands();
        if (!LettuceFutures.awaitAll(5, TimeUnit.MINUTES, sent.toArray(RedisFuture[]::new))) {
            throw new IllegalStateException("Redis did not take the entries");
        }
        sent.clear();
    }

    /** All that was gathered is in the stream from now on; returns how many entries. */
    long open() {
        flush();
        sent.add(connection
                .async()
                .rename(
                        (keyspace.history() + ":filling").getBytes(),
                        keyspace.history().getBytes()));
        flush();
        long opened = entries;
        entries = 0;
        return opened;
    }

    /** Bytes that the gathered entries take in Redis. */
    long gatheredBytes() throws Exception {
        flush();
        RedisFuture<Long> bytes = connection.async().memoryUsage((keyspace.history() + ":filling").getBytes());
        connection.flushCommands();
        return bytes.get();
    }

    /** Returns when everything is committed and trimmed. */
    void awaitEmpty() throws Exception {
        Waiting.await("the end of the stream of " + keyspace.namespace(), PATIENCE, () -> {
            RedisFuture<Long> length =
                    connection.async().xlen(keyspace.history().getBytes());
            connection.flushCommands();
            return length.get() == 0;
        });
    }

    /**
     * Returns when what ended before is sealed: the loop seals after its pages, and reads this entry in a later round.
     */
    void awaitSealed() throws Exception {
        gather("mark", new Load("mark", 1, 0, false), false);
        open();
        awaitEmpty();
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
}
