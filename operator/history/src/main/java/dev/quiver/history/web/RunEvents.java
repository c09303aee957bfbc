package dev.quiver.history.web;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.history.live.Live;
import dev.quiver.history.live.LiveRoster;
import dev.quiver.history.live.LiveRun;
import dev.quiver.history.query.Run;
import dev.quiver.history.query.Runs;
import dev.quiver.history.store.Database;

/**
 * Events of runs that somebody watches. The database is asked once a second for all viewers together, and not at all
 * while there are none. The record is not replayed: a viewer that missed more than is in memory gets
 * {@code reset} and the run as it is. Thread-safe.
 */
final class RunEvents implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RunEvents.class);
    private static final int KEPT = 64;
    private static final long LOOK_MILLIS = 1_000;
    private static final long COMMENT_MILLIS = 15_000;
    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Database database;
    private final Live live;
    private final Map<Long, Watch> watches = new HashMap<>();
    private final ScheduledExecutorService looks;

    /** Creates the events of the runs of that database, with the figures of those that are not over. */
    RunEvents(Database database, Live live) {
        this.database = database;
        this.live = live;
        looks = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("run-events").factory());
        looks.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** The present figures of a run; absent if it is over, and for kinds without figures. */
    Optional<ObjectNode> live(Run run) throws SQLException {
        return database.ask(connection -> LiveRuns.of(connection, run))
                .flatMap(live::of)
                .map(Documents::live);
    }

    /** A run as its viewers see it. */
    private ObjectNode shown(Run run, Optional<LiveRun> now) {
        ObjectNode document = Documents.run(run);
        now.flatMap(live::of).map(Documents::live).ifPresent(figures -> document.set("live", figures));
        return document;
    }

    /** A run with what its figures are read by. */
    private record Found(Run run, Optional<LiveRun> now) {

        static Optional<Found> of(Connection connection, long id) throws SQLException {
            Optional<Run> run = Runs.of(connection, id);
            return run.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Found(run.get(), LiveRuns.of(connection, run.get())));
        }
    }

    /** Without the time of the figures, which alone is no progress. */
    private static ObjectNode timeless(ObjectNode shown) {
        ObjectNode copy = shown.deepCopy();
        if (copy.get("live") instanceof ObjectNode figures) {
            figures.remove("at");
        }
        return copy;
    }

    /** The states of nodes of a run that goes on, which Redis alone knows. */
    Map<Long, String> nodes(Run run, List<Long> nodes) throws SQLException {
        return database.ask(connection -> LiveRuns.of(connection, run))
                .map(now -> live.nodes(now, nodes))
                .orElse(Map.of());
    }

    /** Some of its workers with their tasks; absent where Redis does not answer. */
    Optional<LiveRoster> roster(Run run, LiveRoster.Place from, int limit) throws SQLException {
        Optional<LiveRun> now = database.ask(connection -> LiveRuns.of(connection, run));
        return now.isEmpty()
                ? Optional.of(new LiveRoster(List.of(), Optional.empty(), Optional.empty()))
                : live.roster(now.get(), from, limit);
    }

    /** An event. */
    private record Event(long number, String name, ObjectNode data) {}

    /** A run that somebody watches. Its own lock guards it. */
    private static final class Watch {

        private final String epoch =
                HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
        private final Deque<Event> kept = new ArrayDeque<>();
        private long last;
        private Run run;
        private ObjectNode document;
        private int viewers;

        Watch(Run run, ObjectNode document) {
            this.run = run;
            this.document = document;
        }

        private void add(String name, ObjectNode data) {
            kept.add(new Event(++last, name, data));
            if (kept.size() > KEPT) {
                kept.remove();
            }
        }

        synchronized void seen(Optional<Run> now, ObjectNode shown) {
            if (over()) {
                return;
            }
            if (now.isEmpty()) {
                add("end", Documents.object().put("removed", true));
            } else {
                if (now.get().bytes() != run.bytes()) {
                    add("trials", Documents.object());
                }
                if (!timeless(shown).equals(timeless(document))) {
                    add("progress", shown);
                }
                run = now.get();
                document = shown;
                end();
            }
            notifyAll();
        }

        private void end() {
            if (run.status().isPresent() && !over()) {
                add("end", Documents.object().put("status", run.status().get()));
            }
        }

        synchronized boolean over() {
            return !kept.isEmpty() && kept.getLast().name.equals("end");
        }

        /** Those behind that number, waited for; empty where there is none for a while, absent where some are missing. */
        synchronized Optional<List<Event>> behind(long number) throws InterruptedException {
            if (last == number) {
                wait(COMMENT_MILLIS);
            }
            List<Event> news = new ArrayList<>(kept);
            news.removeIf(event -> event.number <= number);
            return last - number == news.size() ? Optional.of(news) : Optional.empty();
        }

        /** The run as it is, as an event that was never added. */
        synchronized Event snapshot() {
            end();
            long number = over() ? last - 1 : last;
            return new Event(number, "progress", document);
        }

        /** The number of an id that is still in memory. */
        synchronized Optional<Long> number(String id) {
            String[] parts = id.split("-", 2);
            if (parts.length != 2 || !parts[0].equals(epoch) || !parts[1].matches("\\d{1,15}")) {
                return Optional.empty();
            }
            long number = Long.parseLong(parts[1]);
            long oldest = kept.isEmpty() ? last : kept.getFirst().number - 1;
            return number >= oldest && number <= last ? Optional.of(number) : Optional.empty();
        }
    }

    /**
     * Writes events until the run is over, its viewer is gone or may no longer see it.
     *
     * @param lastId id of the last event that the viewer has
     * @param mayStill asked each minute
     * @throws IOException when the viewer is gone
     */
    void stream(Run run, Optional<String> lastId, BooleanSupplier mayStill, OutputStream out)
            throws IOException, SQLException {
        Watch watch = join(run, shown(run, database.ask(connection -> LiveRuns.of(connection, run))));
        try {
            Optional<Long> known = lastId.flatMap(watch::number);
            if (lastId.isPresent() && known.isEmpty()) {
                reset(out);
            }
            long seen = known.isPresent() ? known.get() : send(watch, watch.snapshot(), out);
            long checked = System.nanoTime();
            while (true) {
                out.flush();
                Optional<List<Event>> news = watch.behind(seen);
                if (news.isEmpty()) {
                    reset(out);
                    seen = send(watch, watch.snapshot(), out);
                } else if (news.get().isEmpty()) {
                    out.write(":\n\n".getBytes(StandardCharsets.US_ASCII));
                }
                for (Event event : news.orElse(List.of())) {
                    seen = send(watch, event, out);
                    if (event.name.equals("end")) {
                        return;
                    }
                }
                if (System.nanoTime() - checked >= CHECK_NANOS) {
                    if (!mayStill.getAsBoolean()) {
                        return;
                    }
                    checked = System.nanoTime();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            leave(run.id(), watch);
        }
    }

    private static void reset(OutputStream out) throws IOException {
        out.write("event: reset\ndata: {}\n\n".getBytes(StandardCharsets.US_ASCII));
    }

    private static long send(Watch watch, Event event, OutputStream out) throws IOException {
        String text = "id: " + watch.epoch + "-" + event.number + "\nevent: " + event.name + "\ndata: "
                + Text.json(event.data.toString()) + "\n\n";
        out.write(text.getBytes(StandardCharsets.UTF_8));
        return event.number;
    }

    private Watch join(Run run, ObjectNode document) {
        synchronized (watches) {
            Watch watch = watches.computeIfAbsent(run.id(), id -> new Watch(run, document));
            watch.viewers++;
            return watch;
        }
    }

    private void leave(long run, Watch watch) {
        synchronized (watches) {
            if (--watch.viewers == 0) {
                watches.remove(run);
            }
        }
    }

    private void look() {
        Map<Long, Watch> watched;
        synchronized (watches) {
            watched = Map.copyOf(watches);
        }
        if (watched.isEmpty()) {
            return;
        }
        try {
            Map<Long, Optional<Found>> found = database.ask(connection -> {
                Map<Long, Optional<Found>> runs = new HashMap<>();
                for (long run : watched.keySet()) {
                    runs.put(run, Found.of(connection, run));
                }
                return runs;
            });
            found.forEach((id, run) -> look(watched.get(id), run));
        } catch (SQLException | RuntimeException e) {
            LOG.warn("watched runs could not be looked at: {}", e.getMessage());
        }
    }

    /** A forged run of one tenant must not keep the viewers of all others waiting. */
    private void look(Watch watch, Optional<Found> run) {
        try {
            watch.seen(run.map(Found::run), run.map(it -> shown(it.run, it.now)).orElseGet(Documents::object));
        } catch (RuntimeException e) {
            LOG.warn(
                    "run {} could not be looked at: {}",
                    run.map(it -> it.run.uid()).orElse(""),
                    e.toString());
        }
    }

    @Override
    public void close() {
        looks.shutdownNow();
    }
}
