package dev.quiver.bench.task;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

import dev.quiver.bench.Bench;
import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.redis.RedisServer;

/** Workers that are killed and stopped: how soon their tasks run again, and whether each counts once. */
public final class HealingBench implements Bench {

    private static final int SLOTS = 8;
    private static final int PODS = 3;
    private static final Duration LONG_WORK = Duration.ofSeconds(2);
    private static final Duration SHORT_WORK = Duration.ofMillis(10);

    /** Enough for a pod that comes back. */
    private static final int TASKS_OF_RETURN = SLOTS * 1_000;

    @Override
    public String name() {
        return "task-healing";
    }

    @Override
    public String question() {
        return "the time until the tasks of a killed worker run again, and what is lost or counted twice while processes"
                + " are killed and stopped (aims: 15 s, 0, 0)";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        List<String> text = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        try (RedisServer redis = RedisServer.start(lab)) {
            text.add(redis.described());
            podThatIsGone(lab, redis, text, figures);
            podThatReturns(lab, redis, text, figures);
            trouble(lab, redis, text, figures);
        }
        return new Report(text, figures);
    }

    /** Two pods; one of them is killed with all its processes, and the other one runs its tasks. */
    private void podThatIsGone(Lab lab, RedisServer redis, List<String> text, List<Figure> figures) throws Exception {
        int tasks = 2 * SLOTS;
        try (Pods pods = Pods.start(lab, redis, "gone", 2, SLOTS, tasks, LONG_WORK)) {
            List<String> trees = pods.plant(tasks);
            Waiting.await("the start of all tasks", Pods.PATIENCE, () -> pods.started() == tasks);
            long killed = System.nanoTime();
            pods.killAll(0);
            pods.awaitEnd(trees);
            double[] again = IntStream.range(0, tasks)
                    .filter(task -> pods.times().runs(task) > 1)
                    .mapToDouble(task -> (pods.times().start(task) - killed) / 1e9)
                    .sorted()
                    .toArray();
            if (again.length != SLOTS) {
                throw new IllegalStateException(again.length + " tasks ran again, not " + SLOTS);
            }
            add(text, figures, "pod killed, its tasks run again in another", again[again.length - 1]);
        }
    }

    /** One pod, whose supervisor is killed and started again at once, as the kubelet does. */
    private void podThatReturns(Lab lab, RedisServer redis, List<String> text, List<Figure> figures) throws Exception {
        try (Pods pods = Pods.start(lab, redis, "returns", 1, SLOTS, TASKS_OF_RETURN, SHORT_WORK)) {
            List<String> trees = pods.plant(TASKS_OF_RETURN);
            Waiting.await("half of the tasks", Pods.PATIENCE, () -> pods.started() > TASKS_OF_RETURN / 4);
            pods.worker(0).supervisor().signal("KILL");
            long killed = System.nanoTime();
            Waiting.await(
                    "the supervisor's end",
                    Pods.PATIENCE,
                    () -> !pods.worker(0).supervisor().alive());
            pods.worker(0).revive();
            pods.awaitEnd(trees);
            long[] starts = IntStream.range(0, TASKS_OF_RETURN)
                    .mapToLong(task -> pods.times().start(task))
                    .sorted()
                    .toArray();
            add(text, figures, "supervisor killed and started again, silence of its slots", silence(starts, killed));
        }
    }

    /** The longest time without a start, after this one, in seconds. */
    private static double silence(long[] starts, long from) {
        long[] later = Arrays.stream(starts).filter(start -> start > from).toArray();
        long longest = later[0] - from;
        for (int i = 1; i < later.length; i++) {
            longest = Math.max(longest, later[i] - later[i - 1]);
        }
        return longest / 1e9;
    }

    private void add(List<String> text, List<Figure> figures, String figure, double seconds) {
        text.add(String.format(Locale.ROOT, "%s: %.1f s", figure, seconds));
        figures.add(Figure.of(name(), figure, seconds, "s"));
    }

    private void trouble(Lab lab, RedisServer redis, List<String> text, List<Figure> figures) throws Exception {
        int tasks = lab.pace().tasks().troubled();
        try (Pods pods = Pods.start(lab, redis, "trouble", PODS, SLOTS, tasks, SHORT_WORK)) {
            long from = System.nanoTime();
            List<String> trees = pods.plant(tasks);
            Trouble trouble = new Trouble(pods);
            while (!pods.areOver(trees)) {
                trouble.make();
            }
            trouble.end();
            double seconds = (System.nanoTime() - from) / 1e9;
            Pods.Outcome outcome = pods.outcome(trees);
            text.add(String.format(
                    Locale.ROOT,
                    "%,d tasks of %d ms in %d pods of %d slots, %.0f s, %s: run again %,d, lost %d, failed %d, counted twice %d",
                    tasks,
                    SHORT_WORK.toMillis(),
                    PODS,
                    SLOTS,
                    seconds,
                    trouble.described(),
                    pods.runAgain(),
                    outcome.lost(),
                    outcome.failed(),
                    outcome.twice()));
            figures.add(Figure.of(name(), "lost", outcome.lost(), "tasks"));
            figures.add(Figure.of(name(), "failed", outcome.failed(), "tasks"));
            figures.add(Figure.of(name(), "counted twice", outcome.twice(), "tasks"));
            figures.add(Figure.of(name(), "run again", pods.runAgain(), "tasks"));
        }
    }
}
