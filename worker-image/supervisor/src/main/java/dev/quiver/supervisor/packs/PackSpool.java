package dev.quiver.supervisor.packs;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.PackBody;
import dev.quiver.lifecycle.history.PackPlace;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.supervisor.engine.session.ResultPacks;
import dev.quiver.supervisor.execution.PrintedStream;

/**
 * Large results, and all that trials printed, between their settlement and history, within a bound. Results of one run
 * go into one pack until it has {@link #PACK_BYTES} or is {@link #OPEN} old, and so do streams that fit into a member.
 * A thread of its own deflates packs and sends them. Larger streams stay in their files until their turn, and have
 * packs of their own. A pack that is not taken is sent again for {@link #PATIENCE}. Where there is no room, results and
 * streams are dropped, counted and reported. A caller that brings one waits for none of this. Thread-safe.
 */
public final class PackSpool implements ResultPacks, AutoCloseable {

    /** Bytes in memory of all results and small streams that wait. Streams of passes use a half at most. */
    public static final long BYTES = 8L << 20;

    /** Bytes on the disk of all streams that wait. Streams of passes use a half at most. */
    public static final long DISK_BYTES = HistoryBounds.STREAM_BYTES;

    /** Files that wait. */
    static final int FILES = 256;

    /** Bytes of the results of one pack: half of what history takes, since a pack is in memory twice for a moment. */
    static final int PACK_BYTES = PackBody.UNPACKED_BYTES / 2;

    /** How long a pack waits for more. */
    static final Duration OPEN = Duration.ofSeconds(2);

    /** How long a pack is sent again and again. */
    static final Duration PATIENCE = Duration.ofMinutes(10);

    /** Within what a pod has left of its grace once it has drained; on a busy node a pack took more than three seconds. */
    private static final Duration AT_THE_END = Duration.ofSeconds(8);

    private static final int LONGEST_PAUSE_SECONDS = 30;
    private static final Logger LOG = LoggerFactory.getLogger(PackSpool.class);

    private final PackDoor door;
    private final long openNanos;
    private final Map<List<String>, Pack> open = new LinkedHashMap<>();
    private final Deque<Pack> ready = new ArrayDeque<>();
    private final Deque<PrintedSeries> streams = new ArrayDeque<>();
    private Thread thread;
    private long lastNumber;
    private long held;
    private long onDisk;
    private long stored;
    private long dropped;
    private boolean troubled;
    private boolean closing;

    /** A pack on its way. Its results are gone once they are deflated. */
    private static final class Pack {

        private final String session;
        private final String run;
        private final long number;
        private final long since = System.nanoTime();
        private List<TrialRow.Result> results = new ArrayList<>();
        private int count;
        private int bytes;
        private byte[] body;
        private int tries;
        private long notBefore = since;

        Pack(String session, String run, long number) {
            this.session = session;
            this.run = run;
            this.number = number;
        }

        PackPlace add(TrialRow.Result result) {
            long at = bytes;
            results.add(result);
            count++;
            bytes += result.bytes().length;
            return new PackPlace(PackBody.id(session, number), at, result.bytes().length);
        }

        byte[] body() {
            if (body == null) {
                PackBody made = new PackBody();
                results.forEach(result -> made.add(result.format(), result.bytes()));
                body = made.encode();
                results = null;
            }
            return body;
        }
    }

    /** Sends to that door, from the first result on. */
    public PackSpool(PackDoor door) {
        this(door, OPEN);
    }

    PackSpool(PackDoor door, Duration open) {
        this.door = door;
        this.openNanos = open.toNanos();
    }

    @Override
    public boolean hasRoom(long bytes) {
        return hasRoom(bytes, BYTES);
    }

    private synchronized boolean hasRoom(long bytes, long most) {
        boolean room = !closing && held + bytes <= most;
        if (!room) {
            drop(1, "no room is left for " + bytes + " bytes");
        }
        return room;
    }

    @Override
    public synchronized Optional<PackPlace> take(String session, String run, TrialRow.Result result) {
        int bytes = result.bytes().length;
        if (closing || held + bytes > BYTES) {
            return Optional.empty();
        }
        List<String> key = List.of(session, run);
        Pack pack = open.get(key);
        if (pack != null && (pack.bytes + bytes > PACK_BYTES || pack.count == PackBody.MEMBERS)) {
            open.remove(key);
            ready.add(pack);
            notifyAll();
            pack = null;
        }
        if (pack == null) {
            pack = new Pack(session, run, ++lastNumber);
            open.put(key, pack);
        }
        held += bytes;
        begin();
        return Optional.of(pack.add(result));
    }

    private void begin() {
        if (thread == null) {
            thread = Thread.ofPlatform().name("packs").daemon().start(this::run);
        }
    }

    @Override
    public PackPlace take(String session, String run, PrintedStream stream, boolean passed) {
        long bytes = stream.bytes();
        if (bytes > PackBody.MEMBER_BYTES) {
            return series(session, run, stream, passed);
        }
        try (stream) {
            if (!hasRoom(bytes, passed ? BYTES / 2 : BYTES)) {
                return PackPlace.nowhere(bytes);
            }
            return stream.read(0, (int) bytes)
                    .flatMap(read -> take(session, run, new TrialRow.Result(ResultFormat.BYTES, read)))
                    .orElseGet(() -> unreadable(bytes));
        }
    }

    private PackPlace series(String session, String run, PrintedStream stream, boolean passed) {
        long bytes = stream.bytes();
        boolean there = stream.read(0, 1).isPresent();
        synchronized (this) {
            long room = passed ? DISK_BYTES / 2 : DISK_BYTES;
            if (there && !closing && streams.size() < FILES && (onDisk == 0 || onDisk + bytes <= room)) {
                PrintedSeries series = new PrintedSeries(session, run, lastNumber + 1, stream);
                lastNumber += PackPlace.packs(bytes);
                onDisk += bytes;
                streams.add(series);
                begin();
                notifyAll();
                return PackPlace.series(session, series.number(), bytes);
            }
        }
        stream.close();
        if (there) {
            synchronized (this) {
                drop(1, "no room is left for " + bytes + " bytes");
            }
            return PackPlace.nowhere(bytes);
        }
        return unreadable(bytes);
    }

    private synchronized PackPlace unreadable(long bytes) {
        drop(1, "output of " + bytes + " bytes cannot be read");
        return PackPlace.nowhere(bytes);
    }

    /** Packs that history has. */
    public synchronized long stored() {
        return stored;
    }

    /** Results and streams that history will never have. */
    public synchronized long dropped() {
        return dropped;
    }

    private void run() {
        try {
            for (Optional<Runnable> next = next(); next.isPresent(); next = next()) {
                next.get().run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.error("packs are sent no more", e);
            synchronized (this) {
                closing = true;
            }
        }
    }

    private void send(Pack pack) {
        done(pack, door.put(pack.session, pack.number, pack.run, pack.body()));
    }

    private void send(PrintedSeries series) {
        PackDoor.Reply reply = series.body()
                .map(body -> door.put(series.session, series.number(), series.run, body))
                .orElseGet(() -> new PackDoor.Reply(PackDoor.Answer.REFUSED, "its output cannot be read any more"));
        done(series, reply);
    }

    /** Waits for a pack that may be sent; none behind the last one of a spool that is closed. */
    private synchronized Optional<Runnable> next() throws InterruptedException {
        while (true) {
            long now = System.nanoTime();
            for (Iterator<Pack> all = open.values().iterator(); all.hasNext(); ) {
                Pack pack = all.next();
                if (closing || now - pack.since >= openNanos) {
                    all.remove();
                    ready.add(pack);
                }
            }
            for (Iterator<Pack> all = ready.iterator(); all.hasNext(); ) {
                Pack pack = all.next();
                if (now - pack.notBefore >= 0) {
                    all.remove();
                    return Optional.of(() -> send(pack));
                }
            }
            for (PrintedSeries series : streams) {
                if (series.pause(now) <= 0) {
                    return Optional.of(() -> send(series));
                }
            }
            if (closing && ready.isEmpty() && streams.isEmpty()) {
                return Optional.empty();
            }
            TimeUnit.NANOSECONDS.timedWait(this, pause(now));
        }
    }

    private long pause(long now) {
        long pause = TimeUnit.SECONDS.toNanos(LONGEST_PAUSE_SECONDS);
        for (Pack pack : open.values()) {
            pause = Math.min(pause, pack.since + openNanos - now);
        }
        for (Pack pack : ready) {
            pause = Math.min(pause, pack.notBefore - now);
        }
        for (PrintedSeries series : streams) {
            pause = Math.min(pause, series.pause(now));
        }
        return open.isEmpty() && ready.isEmpty() && streams.isEmpty()
                ? openNanos
                : Math.max(pause, TimeUnit.MILLISECONDS.toNanos(1));
    }

    private synchronized void done(Pack pack, PackDoor.Reply reply) {
        long now = System.nanoTime();
        switch (reply.answer()) {
            case STORED -> {
                stored++;
                untroubled();
                held -= pack.bytes;
            }
            case REFUSED -> {
                held -= pack.bytes;
                drop(pack.count, reply.words());
            }
            case LATER -> {
                if (closing || now - pack.since > PATIENCE.toNanos()) {
                    held -= pack.bytes;
                    drop(pack.count, reply.words());
                } else {
                    report("history takes no pack for now: " + reply.words());
                    pack.tries++;
                    pack.notBefore = now + TimeUnit.SECONDS.toNanos(Math.min(LONGEST_PAUSE_SECONDS, 1L << pack.tries));
                    ready.add(pack);
                }
            }
        }
        notifyAll();
    }

    private synchronized void done(PrintedSeries series, PackDoor.Reply reply) {
        switch (reply.answer()) {
            case STORED -> {
                stored++;
                untroubled();
                if (series.stored()) {
                    end(series);
                }
            }
            case REFUSED -> {
                end(series);
                drop(1, reply.words());
            }
            case LATER -> {
                long lasts = series.later(System.nanoTime(), TimeUnit.SECONDS.toNanos(LONGEST_PAUSE_SECONDS));
                if (closing || lasts > PATIENCE.toNanos()) {
                    end(series);
                    drop(1, reply.words());
                } else {
                    report("history takes no pack for now: " + reply.words());
                }
            }
        }
        notifyAll();
    }

    private void end(PrintedSeries series) {
        streams.remove(series);
        onDisk -= series.stream.bytes();
        series.stream.close();
    }

    private void untroubled() {
        if (troubled) {
            troubled = false;
            LOG.info("history takes packs again; {} results and streams were dropped since the start", dropped);
        }
    }

    private void drop(int results, String words) {
        dropped += results;
        report("results or output of trials are dropped: " + words);
    }

    /** Once, and not again before something was stored. */
    private void report(String words) {
        if (!troubled) {
            troubled = true;
            LOG.warn("{}", words);
        }
    }

    /** Sends what is here, for eight seconds at most. Packs that are left then are lost. */
    @Override
    public void close() {
        synchronized (this) {
            closing = true;
            ready.forEach(pack -> pack.notBefore = System.nanoTime());
            streams.forEach(PrintedSeries::hurry);
            notifyAll();
            if (thread == null) {
                return;
            }
        }
        try {
            thread.join(AT_THE_END);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        thread.interrupt();
        synchronized (this) {
            if (held + onDisk > 0) {
                LOG.warn("{} bytes of results and output did not reach history", held + onDisk);
            }
        }
    }
}
