package dev.quiver.bench.commands;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.quiver.bench.Bench;
import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Table;
import dev.quiver.bench.kube.Cluster;

/** Processes a second: a TaskSet on warm workers and a Job with one pod for each, same cluster, same image, in turn. */
public final class CommandsBench implements Bench {

    static final String IMAGE = "docker.io/quiver/demo:0.1.0";

    private static final WarmPool.Shape SHAPE = new WarmPool.Shape(IMAGE, 2, 16, List.of());
    /** Enough for every class of the supervisor to be loaded and its paths compiled. */
    private static final int WARM_UP_TASKS = 2_000;

    private static final Map<String, List<String>> COMMANDS = new LinkedHashMap<>();

    static {
        COMMANDS.put("true", List.of("/bin/true"));
        COMMANDS.put("python", List.of("python3", "-c", "print(sum(i * i for i in range(1000)))"));
    }

    @Override
    public String name() {
        return "commands";
    }

    @Override
    public String question() {
        return "real commands a second, as a TaskSet and as a batch/v1 Job (aim: 200 times for /bin/true)";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        List<String> text = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        int tasks = lab.pace().commands();
        try (Cluster cluster = Cluster.open(lab);
                WarmPool pool = WarmPool.open(cluster.client(), SHAPE)) {
            pool.run(Map.of("command", COMMANDS.get("true")), WARM_UP_TASKS);
            text.add(cluster.described());
            text.add("TaskSet of %,d tasks on %s; Job with parallelism %d, counted for %d s after %d s"
                    .formatted(
                            tasks,
                            pool.described(),
                            pool.slots(),
                            PodPerTask.WINDOW.toSeconds(),
                            PodPerTask.WARM_UP.toSeconds()));
            Table table = new Table("command", "TaskSet s", "TaskSet tasks/s", "Job pods/s", "TaskSet / Job");
            for (Map.Entry<String, List<String>> command : COMMANDS.entrySet()) {
                double seconds =
                        pool.run(Map.of("command", command.getValue()), tasks).toNanos() / 1e9;
                double pods = PodPerTask.perSecond(cluster.client(), command.getValue(), pool.slots());
                double rate = tasks / seconds;
                table.row(
                        command.getKey(),
                        String.format(Locale.ROOT, "%.2f", seconds),
                        String.format(Locale.ROOT, "%,.0f", rate),
                        String.format(Locale.ROOT, "%.1f", pods),
                        String.format(Locale.ROOT, "%.0f", rate / pods));
                figures.add(Figure.of(
                        name(), command.getKey() + ", tasks=" + tasks, rate, "tasks/s", "batch/v1 Job, pods/s", pods));
                figures.add(Figure.of(name(), command.getKey() + ", Job", pods, "pods/s"));
            }
            text.add(table.toString());
        }
        return new Report(text, figures);
    }
}
