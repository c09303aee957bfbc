package dev.quiver.lifecycle.history;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The names by which a class knows the tests of one run, in the order of its tasks. Each name is its own, and
 * {@code name#2} for the second task of that name. Counts in flat memory, 48 bytes a task at most. Used by one thread.
 */
public final class TestNames {

    /** Tests that a class has estimates of, and the first tasks of a run that may be among them. */
    public static final int MOST = 1 << 18;

    private static final char REPLACEMENT = '\ufffd';

    private final int most;
    private final long[] hashes;
    private final int[] counts;
    private final int shift;
    private int distinct;
    /** Odd, and nobody outside knows it: names that were made to meet in one place meet in many. */
    private final long seed = ThreadLocalRandom.current().nextLong() | 1;

    /**
     * Begins with the first task of a run.
     *
     * @param tasks whose names are counted, from 0 to {@link #MOST}; further names are their own
     */
    public TestNames(int tasks) {
        if (tasks < 0 || tasks > MOST) {
            throw new IllegalArgumentException("tasks is from 0 to " + MOST + ", not " + tasks);
        }
        most = tasks;
        // At most half of the places are taken, so a search ends.
        int places = Integer.highestOneBit(Math.max(1, 2 * tasks - 1)) * 2;
        hashes = new long[places];
        counts = new int[places];
        shift = Long.SIZE - Integer.numberOfTrailingZeros(places);
    }

    /** The name by which the class knows the next task. */
    public String next(String name) {
        int times = count(hash(name));
        return recorded(times == 1 ? name : name + "#" + times);
    }

    /** The {@link #hash} of the name by which the class knows the next task. */
    public long nextHash(String name) {
        long hash = hash(name);
        int times = count(hash);
        return times == 1 && name.indexOf('\0') < 0 ? hash : hash(recorded(times == 1 ? name : name + "#" + times));
    }

    private int count(long hash) {
        int place = (int) ((hash * seed) >>> shift);
        while (counts[place] > 0 && hashes[place] != hash) {
            place = place + 1 & hashes.length - 1;
        }
        if (counts[place] == 0 && distinct++ >= most) {
            distinct = most;
            return 1;
        }
        hashes[place] = hash;
        return ++counts[place];
    }

    /** A text as the record has it, whatever the database: PostgreSQL knows no NUL in text. */
    public static String recorded(String text) {
        return text.indexOf('\0') < 0 ? text : text.replace('\0', REPLACEMENT);
    }

    /** FNV-1a of UTF-8 with its bits mixed: two of 10⁶ names meet with a chance of 3·10⁻⁸. */
    public static long hash(String name) {
        long hash = 0xcbf29ce484222325L;
        for (byte octet : name.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (octet & 0xff)) * 0x100000001b3L;
        }
        hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return hash ^ (hash >>> 33);
    }
}
