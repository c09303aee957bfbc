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

import dev.quiver.lifecycle.history.PackBody;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.supervisor.engine.session.ResultPacks;

/**
 * Large results between their settlement and history, in memory and within a bound. Results of one run go into one pack
 * until it has {@link #PACK_BYTES} or is {@link #OPEN} old; a thread of its own deflates packs and sends them. A pack that
 * is not taken is sent again for {@link #PATIENCE}. Where there is no room, results are dropped, counted and reported.
 * Nobody who brings a result waits for any of this. Thread-safe.
 */
public final class PackSpool implements ResultPacks, AutoCloseable {

    /** Bytes of all results that wait. */
    public static final long BYTES = 8L << 20;

    /** Bytes of the results of one pack: half of what history takes, since a pack is in memory twice for a moment. */
    static final int PACK_BYTES = PackBody.UNPACKED_BYTES / 2;

    /** How long a pack waits for more. */
    static final Duration OPEN = Duration.ofSeconds(2);

    /** How long a pack is sent again and again. */
    static final Duration PATIENCE = Duration.ofMinutes(10);

    private static final Duration AT_THE_END = Duration.ofSeconds(3);
    private static final int LONGEST_PAUSE_SECONDS = 30;
    private static final Logger LOG = LoggerFactory.getLogger(PackSpool.class);

    private final PackDoor door;
    private final long openNanos;
    private final Map<List<String>, Pack> open = new LinkedHashMap<>();
    private final Deque<Pack> ready = new ArrayDeque<>();
    private Thread thread;
    private long lastNumber;
    private long held;
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

        TrialRow.PackPlace add(TrialRow.Result result) {
            long at = bytes;
            results.add(result);
            count++;
            bytes += result.bytes().length;
            return new TrialRow.PackPlace(PackBody.id(session, number), at, result.bytes().length);
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
    public synchronized boolean hasRoom(long bytes) {
        boolean room = !closing && held + bytes <= BYTES;
        if (!room) {
            drop(1, "no room is left for a result of " + bytes + " bytes");
        }
        return room;
    }

    @Override
    public synchronized Optional<TrialRow.PackPlace> take(String session, String run, TrialRow.Result result) {
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
        if (thread == null) {
            thread = Thread.ofPlatform().name("packs").daemon().start(this::run);
        }
        return Optional.of(pack.add(result));
    }

    /** Packs that history has. */
    public synchronized long stored() {
        return stored;
    }

    /** Results that history will never have. */
    public synchronized long dropped() {
        return dropped;
    }

    private void run() {
        try {
            for (Optional<Pack> next = next(); next.isPresent(); next = next()) {
                Pack pack = next.get();
                PackDoor.Reply reply = door.put(pack.session, pack.number, pack.run, pack.body());
                done(pack, reply);
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

    /** Waits for a pack that may be sent; none behind the last one of a spool that is closed. */
    private synchronized Optional<Pack> next() throws InterruptedException {
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
                    return Optional.of(pack);
                }
            }
            if (closing && ready.isEmpty()) {
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
        return open.isEmpty() && ready.isEmpty() ? openNanos : Math.max(pause, TimeUnit.MILLISECONDS.toNanos(1));
    }

    private synchronized void done(Pack pack, PackDoor.Reply reply) {
        long now = System.nanoTime();
        switch (reply.answer()) {
            case STORED -> {
                stored++;
                held -= pack.bytes;
                if (troubled) {
                    troubled = false;
                    LOG.info("history takes packs again; {} results were dropped since the start", dropped);
                }
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

    private void drop(int results, String words) {
        dropped += results;
        report("results of trials are dropped: " + words);
    }

    /** Once, and not again before something was stored. */
    private void report(String words) {
        if (!troubled) {
            troubled = true;
            LOG.warn("{}", words);
        }
    }

    /** Sends what is here, for three seconds at most. What is left then is lost. */
    @Override
    public void close() {
        synchronized (this) {
            closing = true;
            ready.forEach(pack -> pack.notBefore = System.nanoTime());
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
            if (held > 0) {
                LOG.warn("{} bytes of results did not reach history", held);
            }
        }
    }
}
