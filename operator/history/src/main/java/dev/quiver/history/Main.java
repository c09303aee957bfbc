package dev.quiver.history;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Optional;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.history.access.ReviewedAccess;
import dev.quiver.history.kube.KubernetesApi;
import dev.quiver.history.live.RedisLive;
import dev.quiver.history.live.RunPresence;
import dev.quiver.history.persist.KeyspaceNames;
import dev.quiver.history.persist.LostRuns;
import dev.quiver.history.persist.Persister;
import dev.quiver.history.query.RunLog;
import dev.quiver.history.store.Database;
import dev.quiver.history.store.Packs;
import dev.quiver.history.store.PostgresDatabase;
import dev.quiver.history.store.Retention;
import dev.quiver.history.store.Sealing;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;
import dev.quiver.history.tls.ServerCertificate;
import dev.quiver.history.web.About;
import dev.quiver.history.web.ApiServer;
import dev.quiver.history.web.PackIntake;
import dev.quiver.http.HttpEndpoint;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.history.Shortage;
import dev.quiver.lifecycle.history.stream.HistoryStream;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisStore;

/** The program: the persister's loop and the API over one database, until it is ended. */
public final class Main {

    private static final Logger LOG = LoggerFactory.getLogger(Main.class);

    private Main() {}

    /**
     * Runs with the settings of the environment, see {@link HistorySettings#of}.
     *
     * @param arguments none, or a command, see {@link Commands}
     */
    public static void main(String[] arguments)
            throws IOException, GeneralSecurityException, SQLException, InterruptedException {
        if (arguments.length > 0) {
            System.exit(new Commands(System.getenv(), System.out, System.err).run(arguments));
        }
        runProgram();
    }

    private static void runProgram() throws IOException, GeneralSecurityException, SQLException, InterruptedException {
        ApiServer.setBounds();
        HistorySettings settings = HistorySettings.of(System.getenv());
        Clock clock = Clock.systemUTC();
        HistorySettings.Ports ports = settings.ports();
        DatabaseStart start = new DatabaseStart();
        try (KubernetesApi kubernetes = new KubernetesApi(settings.kubernetes(), settings.account());
                HttpEndpoint probes =
                        Probes.listen(ports.probe(), start::status, start::notice, settings.emptyDir(), clock);
                Database database = start.open(() -> open(settings));
                RedisStore store =
                        RedisStore.open(RedisEndpoint.read(settings.redis()), "quiver-history", Lifecycle.LIBRARY)) {
            ReviewedAccess access = new ReviewedAccess(kubernetes);
            Persister persister = new Persister(
                    new KeyspaceNames(kubernetes, settings.namespace(), settings.keyspaces(), clock),
                    keyspace -> new HistoryStream(store, keyspace),
                    database,
                    new Sealing(database, RunLog::packed),
                    new Retention(database, namespace -> settings.retention(), settings.maxBytes(), clock),
                    clock);
            Runnable tell = () -> tell(settings, kubernetes, database, clock);
            database.onReplaced(tell);
            if (database.setAside().isPresent()) {
                tell.run();
            }
            start.began(persister::status, () -> notice(settings, database));
            persister.watchRoom(
                    () -> database.shortage(settings.wantedBytes()),
                    words -> event(settings, kubernetes, "RecordShortOfRoom", words, clock));
            InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), ports.http());
            LostRuns lost = new LostRuns(database, new RunPresence(store)::has, clock);
            try (persister;
                    lost;
                    ApiServer api = ApiServer.listen(
                            loopback,
                            secured(ports, new PackIntake(access, new Packs(database, settings.maxBytes(), clock))),
                            database,
                            access,
                            new RedisLive(store),
                            () -> about(settings, database, persister))) {
                LOG.info(
                        "the record is kept in {}, and read at {}; probes are at {}",
                        database.product(),
                        api.address(),
                        probes.address());
                lost.start();
                Thread loop = Thread.currentThread();
                // A page that is being written is committed, and trimmed or read again.
                Runtime.getRuntime().addShutdownHook(new Thread(() -> end(persister, loop), "end"));
                persister.run();
            }
        }
    }

    /** A person who does not read the log or the page finds it at the pod. */
    private static void tell(HistorySettings settings, KubernetesApi kubernetes, Database database, Clock clock) {
        Optional<String> damaged = database.setAside()
                .map(name -> "the file of the record is damaged; it was set aside as " + name
                        + ", and the record begins anew");
        event(
                settings,
                kubernetes,
                damaged.isPresent() ? "RecordSetAside" : "RecordReplaced",
                damaged.or(database::replaced).orElseThrow(),
                clock);
    }

    private static void event(
            HistorySettings settings, KubernetesApi kubernetes, String reason, String message, Clock clock) {
        settings.pod()
                .map(pod -> new PodEvent(kubernetes, settings.namespace(), pod.name(), pod.uid()))
                .ifPresent(events -> events.warn(reason, message, clock));
    }

    private static Optional<ApiServer.Secured> secured(HistorySettings.Ports ports, PackIntake packs)
            throws IOException, GeneralSecurityException {
        if (ports.certificate().isEmpty()) {
            LOG.warn("QUIVER_HISTORY_TLS_DIR is not set: the API is on loopback alone");
            return Optional.empty();
        }
        ServerCertificate certificate = ServerCertificate.of(ports.certificate().get());
        return Optional.of(new ApiServer.Secured(new InetSocketAddress(ports.tls()), certificate, Optional.of(packs)));
    }

    private static About about(HistorySettings settings, Database database, Persister persister) {
        return new About(
                database.product(),
                persister.status().database(),
                database.setAside(),
                database.replaced(),
                settings.emptyDir(),
                database.shortage(settings.wantedBytes()).map(Shortage::toString));
    }

    /** A notice about damage to the file of the record, which counts until the next start, and about missing room. */
    private static Optional<String> notice(HistorySettings settings, Database database) {
        return database.replaced()
                .or(() -> database.setAside().map(name -> "a damaged file was set aside as " + name))
                .or(() -> database.shortage(settings.wantedBytes()).map(Shortage::toString));
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
                : SqliteDatabase.open(
                        SqliteSettings.of(Path.of(settings.database())).atMost(settings.fileBytes()));
    }
}
