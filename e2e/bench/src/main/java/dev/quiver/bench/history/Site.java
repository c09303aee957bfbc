package dev.quiver.bench.history;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;

import dev.quiver.bench.Lab;
import dev.quiver.bench.kube.ApiServer;
import dev.quiver.bench.process.Program;
import dev.quiver.bench.redis.RedisServer;

/** A Redis, an API server, and the programs that keep records between them. All end with it. */
final class Site implements Closeable {

    private final Lab lab;
    private final RedisServer redis;
    private final Deque<Closeable> toClose = new ArrayDeque<>();
    private final ApiServer api;
    private final Readers readers;

    /** Starts Redis and API server. */
    Site(Lab lab) throws Exception {
        this.lab = lab;
        redis = RedisServer.start(lab);
        toClose.push(redis);
        try {
            api = ApiServer.start();
            toClose.push(api);
            readers = new Readers(api, lab.folder("account"));
        } catch (Exception failure) {
            close();
            throw failure;
        }
    }

    /** The Redis. */
    RedisServer redis() {
        return redis;
    }

    /** History with SQLite, for a namespace that no other program here has. */
    HistoryProcess sqlite(String namespace) throws Exception {
        return sqlite(Program.history(lab), namespace);
    }

    /** The same, of a program with an AOT cache, or of one that records it. */
    HistoryProcess sqlite(Program program, String namespace) throws Exception {
        return closing(HistoryProcess.start(lab, program, readers, namespace, redis.port(), Map.of()));
    }

    /** History with that PostgreSQL, for a namespace that no other program here has. */
    HistoryProcess postgres(PostgresServer postgres, String namespace) throws Exception {
        return closing(HistoryProcess.start(
                lab, Program.history(lab), readers, namespace, redis.port(), HistoryProcess.in(postgres)));
    }

    /** Ends with the site, after what was started later. */
    <T extends Closeable> T closing(T part) {
        toClose.push(part);
        return part;
    }

    @Override
    public void close() throws IOException {
        IOException first = null;
        while (!toClose.isEmpty()) {
            try {
                toClose.pop().close();
            } catch (IOException failure) {
                first = first == null ? failure : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
