package dev.quiver.controller.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

/** Estimates beside the truth, on the traces of whole runs that are looked at each second as the operator does. */
class EtaTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    /** The sight of a trace a second at a time. */
    private record Look(long decided, long running, long trials, long runMillis) {}

    private record Trace(long tasks, List<Look> looks) {}

    /**
     * Tasks in order on slots that are always busy, each for as long as it says.
     *
     * @param slots at that second
     * @param millis of the task of that index
     */
    private static Trace trace(int tasks, IntUnaryOperator slots, LongUnaryOperator millis) {
        PriorityQueue<Long> ends = new PriorityQueue<>();
        TreeMap<Long, long[]> ended = new TreeMap<>();
        long next = 0;
        for (long now = 0; next < tasks || !ends.isEmpty(); now++) {
            while (!ends.isEmpty() && ends.peek() <= now) {
                ends.poll();
            }
            while (ends.size() < slots.applyAsInt((int) (now / 1000)) && next < tasks) {
                long took = Math.max(1, millis.applyAsLong(next++));
                ends.add(now + took);
                long[] sums = ended.computeIfAbsent(now + took, _ -> new long[2]);
                sums[0]++;
                sums[1] += took;
            }
        }
        return looks(tasks, slots, ended);
    }

    private static Trace looks(int tasks, IntUnaryOperator slots, TreeMap<Long, long[]> ended) {
        List<Look> looks = new ArrayList<>();
        long decided = 0;
        long took = 0;
        long from = 0;
        for (int second = 0; decided < tasks; second++) {
            for (Map.Entry<Long, long[]> end :
                    ended.subMap(from, second * 1000L).entrySet()) {
                decided += end.getValue()[0];
                took += end.getValue()[1];
            }
            from = second * 1000L;
            looks.add(new Look(decided, Math.min(slots.applyAsInt(second), tasks - decided), decided, took));
        }
        return new Trace(tasks, looks);
    }

    private static RunProgress snapshot(long tasks, Look look, Instant started, Instant now) {
        Duration took = Duration.ofMillis(look.runMillis());
        return new RunProgress(Optional.of(started), now, tasks, look.decided(), look.running(), look.trials(), took);
    }

    /** The second of the first estimate; those of steady seconds are right within a factor of two and a unit. */
    private static int firstOf(Trace trace, IntPredicate steady) {
        Pace pace = Pace.UNSEEN;
        int first = -1;
        int end = trace.looks().size() - 1;
        for (int second = 0; second < end; second++) {
            RunProgress run = snapshot(trace.tasks(), trace.looks().get(second), START, START.plusSeconds(second));
            pace = pace.seen(run);
            assertThat(pace.moments()).hasSizeLessThan(60);
            Optional<Eta> eta = Eta.of(run, pace);
            if (eta.isPresent()) {
                first = first < 0 ? second : first;
                if (steady.test(second)) {
                    long unit = eta.get().unit().toSeconds();
                    assertThat(eta.get().left().toSeconds())
                            .as(
                                    "at %d s of %d s, %d decided",
                                    second, end, trace.looks().get(second).decided())
                            .isBetween((end - second) / 2 - unit, 2L * (end - second) + unit);
                }
            }
        }
        return first;
    }

    @Test
    void aColdStartOfManyShortTasks() {
        Trace trace = trace(20_000, s -> s < 1 ? 4 : 16, i -> i < 4 ? 995 : 19);
        assertThat(trace.looks()).hasSizeBetween(23, 27);
        assertThat(trace.looks().get(1).decided()).isEqualTo(4);
        assertThat(firstOf(trace, _ -> true)).isBetween(5, 8);
    }

    @Test
    void aJvmThatWarmsUp() {
        Trace trace = trace(60_000, _ -> 16, i -> 20 + 400 / (1 + i / 40));
        assertThat(firstOf(trace, second -> second > 8)).isBetween(5, 15);
    }

    @Test
    void longTasksThatBeginTogether() {
        Trace trace = trace(400, _ -> 16, _ -> 60_000);
        assertThat(firstOf(trace, second -> second < trace.looks().size() - 61)).isBetween(60, 62);
    }

    @Test
    void longTasksOfManyLengths() {
        Random random = new Random(7);
        long[] millis = LongStream.generate(() -> (long) (-30_000 * Math.log(1 - random.nextDouble())))
                .limit(1000)
                .toArray();
        Trace trace = trace(1000, _ -> 20, i -> millis[(int) i]);
        int last = trace.looks().size() - 150; // the last of 20 to end takes long
        assertThat(firstOf(trace, second -> second < last)).isBetween(6, 60);
    }

    @Test
    void fewShortTasksASecond() {
        Trace trace = trace(300, _ -> 1, _ -> 800);
        assertThat(firstOf(trace, _ -> true)).isBetween(15, 20);
    }

    @Test
    void workersThatComeOneAfterAnother() {
        Trace trace = trace(20_000, second -> Math.min(4, second / 10) * 4, _ -> 200);
        assertThat(firstOf(trace, second -> second > 47)).isGreaterThan(14);
    }

    @Test
    void moreWorkersInMidRun() {
        Trace trace = trace(20_000, second -> second < 60 ? 4 : 32, _ -> 100);
        assertThat(firstOf(trace, second -> second > 67)).isBetween(5, 6);
        Trace slow = trace(2000, second -> second < 120 ? 4 : 32, _ -> 5000);
        assertThat(firstOf(slow, second -> second > 127)).isBetween(10, 12);
    }

    @Test
    void aTailThatIsSlow() {
        Trace trace = trace(10_001, _ -> 8, i -> i == 10_000 ? 60_000 : 50);
        int tail = trace.looks().size() - 61;
        assertThat(firstOf(trace, second -> second < tail - 60)).isBetween(5, 6);
        Pace pace = Pace.UNSEEN;
        for (int second = 0; second < tail + 15; second++) {
            pace = pace.seen(snapshot(trace.tasks(), trace.looks().get(second), START, START.plusSeconds(second)));
        }
        RunProgress waiting =
                snapshot(trace.tasks(), trace.looks().get(tail + 15), START, START.plusSeconds(tail + 15));
        assertThat(Eta.of(waiting, pace.seen(waiting)))
                .as("no pace any more tells when the last task ends")
                .isEmpty();
    }

    @Test
    void aResumeBeginsAnew() {
        Look look = new Look(500, 8, 500, 50_000);
        Pace pace = Pace.UNSEEN.seen(snapshot(1000, new Look(0, 8, 0, 0), START, START));
        RunProgress before = snapshot(1000, look, START, START.plusSeconds(10));
        assertThat(Eta.of(before, pace.seen(before))).isPresent();
        Instant resumed = START.plusSeconds(600);
        RunProgress after = snapshot(1000, look, resumed, resumed.plusSeconds(1));
        assertThat(Eta.of(after, pace.seen(before).seen(after))).isEmpty();
    }

    @Test
    void aRewoundStoreBeginsAnew() {
        Pace pace = Pace.UNSEEN
                .seen(snapshot(1000, new Look(0, 8, 0, 0), START, START))
                .seen(snapshot(1000, new Look(400, 8, 400, 40_000), START, START.plusSeconds(10)));
        RunProgress rewound = snapshot(1000, new Look(300, 8, 300, 30_000), START, START.plusSeconds(11));
        assertThat(pace.seen(rewound).moments()).hasSize(1);
    }
}
