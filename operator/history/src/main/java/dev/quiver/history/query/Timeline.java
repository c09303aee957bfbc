package dev.quiver.history.query;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

import dev.quiver.history.store.PassCursor;
import dev.quiver.history.store.Rows;
import dev.quiver.lifecycle.history.TrialStatus;

/**
 * When which slot worked on which trial, as columns that a browser reads without parsing. Up to {@link #MOST_TRIALS}
 * trials in view are given one by one. More become cells: a pixel's worth of time of one slot with its worst status.
 * Numbers are little endian, and each column is aligned to the size of its numbers:
 *
 * <pre>
 *   "QTL1"; uint32 cells (0 or 1), lanes, n; float64 first, last (of all trials), from, to, trials (in view), left out
 *   float64[n] start   float64[n] task (cells: 0)   float64[lanes] worker
 *   uint32[n] length   uint32[lanes + 1] first item of a lane   uint16[n] trial (cells: 0)
 *   uint8[n] status, by {@link TrialStatus}   uint8[lanes] slot
 * </pre>
 *
 * Times are milliseconds since 1970, lengths milliseconds. Lanes are in the order of worker and slot, the items of a lane
 * in the order of their starts. Used once, by one thread.
 */
public final class Timeline {

    /** Trials in view that are given one by one. */
    public static final int MOST_TRIALS = 200_000;

    /** Columns of cells. */
    public static final int MOST_COLUMNS = 4096;

    /** Lanes; trials of further ones are counted as left out. */
    static final int MOST_LANES = 4096;

    /** Bytes of the largest answer, with the names of a pool's runs and workers behind it. */
    public static final long MOST_BYTES = 6 << 20;

    /** Bytes of memory that the largest one takes while it is made. */
    public static final long WORK_BYTES = 24 << 20;

    private static final int SLOT_BITS = 6;
    private static final int FETCHED = 64;
    private static final int HEAD = 4 + 3 * 4 + 6 * 8;
    private static final int LONGEST_TRIAL = 0xffff;
    private static final long LONGEST = 0xffff_ffffL;

    /** The rank of each status by its number: the highest one shows where several share a pixel. */
    private static final int[] SEVERITY = severity();

    /** Takes trials one by one. */
    @FunctionalInterface
    private interface Visitor {

        void trial(long task, int trial, int status, long worker, int slot, long start, long end);
    }

    /**
     * A part of a timeline. Trials that are left out by {@code since} count as in view all the same. The number tells a
     * caller who has the earlier ones whether one has come late. Cells have no such part.
     *
     * @param from the first instant in view, by default that of the first trial
     * @param to the last instant in view, by default that of the last trial
     * @param since trials that ended before are left out
     * @param worker its lanes alone
     * @param columns of cells where there are too many trials, 1 to {@link #MOST_COLUMNS}
     */
    public record View(OptionalLong from, OptionalLong to, OptionalLong since, OptionalLong worker, int columns) {}

    private final Connection connection;
    private final List<Long> runs;
    private final Optional<Set<Long>> only;
    private final int columns;
    private final long since;
    private final OptionalLong worker;
    private final TreeMap<Long, Integer> lanes = new TreeMap<>();
    private long from;
    private long to;
    private long first = Long.MAX_VALUE;
    private long last = Long.MIN_VALUE;
    private long inView;
    private long leftOut;
    private int size;
    private int place;
    private int[] places = new int[1024];
    private long[] keys = new long[1024];
    private long[] starts = new long[1024];
    private long[] ends = new long[1024];
    private long[] tasks = new long[1024];
    private int[] trials = new int[1024];
    private byte[] states = new byte[1024];

    /** Without {@code only} workers of every pool. */
    private Timeline(Connection connection, List<Long> runs, Optional<Set<Long>> only, View view) {
        this.connection = connection;
        this.runs = runs;
        this.only = only;
        columns = view.columns;
        since = view.since.orElse(Long.MIN_VALUE);
        worker = view.worker;
        from = view.from.orElse(Long.MIN_VALUE);
        to = view.to.orElse(Long.MAX_VALUE);
    }

    /** The timeline of a run. */
    public static byte[] of(Connection connection, long run, View view) throws SQLException {
        return new Timeline(connection, List.of(run), Optional.empty(), view).bytes();
    }

    /**
     * The timeline of a pool.
     *
     * @param workers of the lanes, each once
     */
    public record OfPool(byte[] columns, List<Long> workers) {

        /** Copies the list. */
        public OfPool {
            workers = List.copyOf(workers);
        }
    }

    /**
     * The timeline of several runs on the workers of one pool. After the columns of a run's timeline, from an even
     * offset on, comes {@code uint16[n]} with the index of each item's run in the list. For cells the index is 0.
     *
     * @param runs at most 65,536
     * @param from the first instant in view
     * @param to the last instant in view
     */
    public static OfPool ofPool(
            Connection connection, List<Long> runs, String pool, OptionalLong from, OptionalLong to, int columns)
            throws SQLException {
        Set<Long> workers = new HashSet<>();
        for (long run : runs) {
            workers.addAll(Rows.all(
                    connection,
                    "SELECT w.id FROM run_workers rw JOIN workers w ON w.id = rw.worker_id"
                            + " WHERE rw.run_id = ? AND w.pool = ?",
                    row -> row.getLong(1),
                    run,
                    pool));
        }
        View view = new View(from, to, OptionalLong.empty(), OptionalLong.empty(), columns);
        Timeline timeline = new Timeline(connection, runs, Optional.of(workers), view);
        byte[] bytes = timeline.bytes();
        return new OfPool(
                bytes,
                timeline.lanes.keySet().stream()
                        .map(key -> key >> SLOT_BITS)
                        .distinct()
                        .toList());
    }

    private static int[] severity() {
        TrialStatus[] mildestFirst = {
            TrialStatus.PASSED,
            TrialStatus.PENDING,
            TrialStatus.CANCELLED,
            TrialStatus.LOST,
            TrialStatus.TIMEOUT,
            TrialStatus.ERROR,
            TrialStatus.FAILED
        };
        int[] severity = new int[TrialStatus.values().length];
        for (int i = 0; i < mildestFirst.length; i++) {
            severity[mildestFirst[i].ordinal()] = i;
        }
        return severity;
    }

    private byte[] bytes() throws SQLException {
        scan(this::collect);
        if (first > last) {
            first = 0;
            last = 0;
        }
        from = from == Long.MIN_VALUE ? first : from;
        to = to == Long.MAX_VALUE ? last : to;
        boolean cells = inView > MOST_TRIALS;
        if (cells) {
            toCells();
        }
        return encoded(cells);
    }

    /** Replays are not looked for: after a rewind a task may be seen twice until its run is sealed. */
    private void scan(Visitor all) throws SQLException {
        Visitor visitor = only.<Visitor>map(workers -> (task, trial, status, worker, slot, start, end) -> {
                    if (workers.contains(worker)) {
                        all.trial(task, trial, status, worker, slot, start, end);
                    }
                })
                .orElse(all);
        for (place = 0; place < runs.size(); place++) {
            scan(runs.get(place), visitor);
        }
        place = 0;
    }

    private void scan(long run, Visitor visitor) throws SQLException {
        PassCursor.each(
                connection,
                run,
                (task, worker, slot, finishedAt, millis) ->
                        visitor.trial(task, 1, 0, worker, slot, finishedAt - millis, finishedAt));
        try (PreparedStatement question = connection.prepareStatement(
                "SELECT task, trial, status, worker_id, slot, started_at, finished_at FROM trials WHERE run_id = ?")) {
            Rows.bind(question, run);
            question.setFetchSize(FETCHED);
            try (ResultSet rows = question.executeQuery()) {
                while (rows.next()) {
                    visitor.trial(
                            rows.getLong(1),
                            rows.getInt(2),
                            rows.getInt(3),
                            rows.getLong(4),
                            rows.getInt(5),
                            rows.getLong(6),
                            rows.getLong(7));
                }
            }
        }
    }

    private void collect(long task, int trial, int status, long its, int slot, long start, long end) {
        first = Math.min(first, start);
        last = Math.max(last, Math.max(start, end));
        if (end < from || start > to || worker.isPresent() && worker.getAsLong() != its) {
            return;
        }
        long key = its << SLOT_BITS | slot;
        if (!lanes.containsKey(key)) {
            if (lanes.size() == MOST_LANES) {
                leftOut++;
                return;
            }
            lanes.put(key, 0);
        }
        inView++;
        if (inView <= MOST_TRIALS && Math.max(start, end) >= since) {
            item(key, start, end, task, trial, status);
        }
    }

    private void item(long key, long start, long end, long task, int trial, int status) {
        if (size == keys.length) {
            int room = size * 2;
            places = Arrays.copyOf(places, room);
            keys = Arrays.copyOf(keys, room);
            starts = Arrays.copyOf(starts, room);
            ends = Arrays.copyOf(ends, room);
            tasks = Arrays.copyOf(tasks, room);
            trials = Arrays.copyOf(trials, room);
            states = Arrays.copyOf(states, room);
        }
        places[size] = place;
        keys[size] = key;
        starts[size] = start;
        ends[size] = Math.max(start, end);
        tasks[size] = task;
        trials[size] = trial;
        states[size++] = (byte) status;
    }

    private void toCells() throws SQLException {
        int number = 0;
        for (Map.Entry<Long, Integer> lane : lanes.entrySet()) {
            lane.setValue(number++);
        }
        byte[][] worst = new byte[number][columns];
        double width = Math.max(1.0, (double) (to - from) / columns);
        scan((task, trial, status, worker, slot, start, end) -> {
            Integer lane = lanes.get(worker << SLOT_BITS | slot);
            if (lane == null || end < from || start > to) {
                return;
            }
            int rank = SEVERITY[status] + 1;
            int behind = column(Math.max(start, end), width);
            for (int column = column(start, width); column <= behind; column++) {
                worst[lane][column] = (byte) Math.max(worst[lane][column], rank);
            }
        });
        size = 0;
        lanes.forEach((key, lane) -> join(key, worst[lane], width));
    }

    private int column(long at, double width) {
        return (int) Math.clamp((at - from) / width, 0, columns - 1);
    }

    /** Neighbours of one status are one item. */
    private void join(long key, byte[] cells, double width) {
        for (int column = 0; column < columns; column++) {
            int begin = column;
            while (column + 1 < columns && cells[column + 1] == cells[begin]) {
                column++;
            }
            if (cells[begin] > 0) {
                int status = 0;
                while (SEVERITY[status] != cells[begin] - 1) {
                    status++;
                }
                item(key, from + (long) (begin * width), from + (long) ((column + 1) * width), 0, 0, status);
            }
        }
    }

    private int length() {
        int columnsOfARun = HEAD + size * 23 + lanes.size() * 13 + 4;
        return only.isEmpty() ? columnsOfARun : columnsOfARun + columnsOfARun % 2 + size * 2;
    }

    private byte[] encoded(boolean cells) {
        Integer[] order = new Integer[size];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, (a, b) -> {
            int byLane = Long.compare(keys[a], keys[b]);
            return byLane != 0 ? byLane : Long.compare(starts[a], starts[b]);
        });
        ByteBuffer to = ByteBuffer.allocate(length()).order(ByteOrder.LITTLE_ENDIAN);
        to.put((byte) 'Q').put((byte) 'T').put((byte) 'L').put((byte) '1');
        to.putInt(cells ? 1 : 0).putInt(lanes.size()).putInt(size);
        to.putDouble(first).putDouble(last).putDouble(from).putDouble(this.to);
        to.putDouble(inView).putDouble(leftOut);
        for (int i : order) {
            to.putDouble(starts[i]);
        }
        for (int i : order) {
            to.putDouble(tasks[i]);
        }
        lanes.keySet().forEach(key -> to.putDouble(key >> SLOT_BITS));
        for (int i : order) {
            to.putInt((int) Math.min(LONGEST, ends[i] - starts[i]));
        }
        int at = 0;
        for (long lane : lanes.keySet()) {
            to.putInt(at);
            while (at < size && keys[order[at]] == lane) {
                at++;
            }
        }
        to.putInt(size);
        for (int i : order) {
            to.putShort((short) Math.min(LONGEST_TRIAL, trials[i]));
        }
        for (int i : order) {
            to.put(states[i]);
        }
        lanes.keySet().forEach(key -> to.put((byte) (key & (1 << SLOT_BITS) - 1)));
        if (only.isPresent()) {
            to.position(to.position() + to.position() % 2);
            for (int i : order) {
                to.putShort((short) places[i]);
            }
        }
        return to.array();
    }
}
