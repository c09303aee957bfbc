package dev.quiver.history;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.history.access.ReviewedAccess;
import dev.quiver.history.kube.KubernetesApi;
import dev.quiver.history.persist.KeyspaceFolder;
import dev.quiver.history.persist.Persister;
import dev.quiver.history.store.Database;
import dev.quiver.history.store.PostgresDatabase;
import dev.quiver.history.store.Retention;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;
import dev.quiver.history.web.ApiServer;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.history.stream.HistoryStream;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisStore;

/** The program: the persister's loop and the API over one database, until it is ended. */
public final class Main {

    private static final Logger LOG = LoggerFactory.getLogger(Main.class);

    private Main() {}

    /** Runs with the settings of the environment, see {@link HistorySettings#of}. */
    public static void main(String[] arguments) throws IOException, SQLException, InterruptedException {
        HistorySettings settings = HistorySettings.of(System.getenv());
        Clock clock = Clock.systemUTC();
        try (KubernetesApi kubernetes = new KubernetesApi(settings.kubernetes(), settings.account());
                Database database = open(settings);
                RedisStore store = 
                        RedisStore.open(RedisEndpoint.read(settings.redis()), "quiver-history", Lifecycle.LIBRARY)) {
            ReviewedAccess access = new ReviewedAccess(kubernetes);
            Persister persister = new Persister(
                    new KeyspaceFolder(settings.keyspaces(), clock),
                    keyspace -> new HistoryStream(store, keyspace),
                    database,
                    new Retention(database, namespace -> settings.retention(), settings.maxBytes(), clock),
                    clock);
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), settings.port());
            try (persister;
                    ApiServer api = ApiServer.listen(
                            address, database, access, () -> persister.status().database())) {
                LOG.info("the record is kept in {}, and read at {}", database.product(), api.address());
                Thread loop = Thread.currentThread();
                // A page that is being written is committed, and trimmed or read again.
                Runtime.getRuntime().addShutdownHook(new Thread(() -> end(persister, loop), "end"));
                persister.run();
            }
        }
    }

    private static void end(Persister persister, Thread loop) {
        persister.close();
        try {
            loop.join(5_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Database open(HistorySettings settings) throws IOException, SQLException {
        return settings.database().startsWith("jdbc:")
                ? PostgresDatabase.open(settings.database(), settings.user(), settings.password())
                : SqliteDatabase.open(SqliteSettings.of(Path.of(settings.database())));
    }
}
