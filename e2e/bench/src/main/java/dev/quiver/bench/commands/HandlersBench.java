package dev.quiver.bench.commands;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;

import dev.quiver.bench.Bench;
import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Table;
import dev.quiver.bench.kube.Cluster;

/** Columnar files summed up by handlers and by commands: the second example's two TaskSets, on one pool, in turn. */
public final class HandlersBench implements Bench {

    private static final Path EXAMPLE = Path.of("worker-image/sdk/python/examples/columns");
    private static final int PODS = 2;
    private static final int SLOTS = 4;
    /** For each kind and slot: every handler has imported its modules, and the files are in memory. */
    private static final int WARM_UP_TASKS = 4;

    @Override
    public String name() {
        return "handlers";
    }

    @Override
    public String question() {
        return "Parquet files summed up in Python a second, by handlers and by commands";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        GenericKubernetesResource handlers = example(lab, "taskset-handlers.yaml");
        Map<String, Map<String, Object>> tasks = new LinkedHashMap<>();
        tasks.put("handlers", handlers.get("spec", "task"));
        tasks.put("commands", example(lab, "taskset-commands.yaml").get("spec", "task"));
        WarmPool.Shape shape = new WarmPool.Shape(
                handlers.get("spec", "workerTemplate", "template", "spec", "containers", 0, "image"),
                PODS,
                SLOTS,
                handlers.get("spec", "workerTemplate", "handler", "command"));
        List<String> text = new ArrayList<>();
        Map<String, Double> seconds = new LinkedHashMap<>();
        int files = lab.pace().files();
        try (Cluster cluster = Cluster.open(lab);
                WarmPool pool = WarmPool.open(cluster.client(), shape)) {
            text.add(cluster.described());
            text.add(
                    "%d Parquet files of 50,000 rows on %s with %s; a command starts python3 and imports pyarrow for each"
                            .formatted(files, pool.described(), String.join(" ", shape.handler())));
            for (Map<String, Object> task : tasks.values()) {
                pool.run(task, WARM_UP_TASKS * pool.slots());
            }
            for (Map.Entry<String, Map<String, Object>> task : tasks.entrySet()) {
                seconds.put(task.getKey(), pool.run(task.getValue(), files).toNanos() / 1e9);
            }
        }
        double handled = files / seconds.get("handlers");
        double commanded = files / seconds.get("commands");
        Table table = new Table("files", "handlers s", "files/s", "commands s", "files/s", "handlers / commands");
        table.row(
                "" + files,
                shown(seconds.get("handlers")),
                shown(handled),
                shown(seconds.get("commands")),
                shown(commanded),
                String.format(Locale.ROOT, "%.1f", handled / commanded));
        text.add(table.toString());
        return new Report(
                text,
                List.of(
                        Figure.of(name(), "handlers, files=" + files, handled, "tasks/s", "commands", commanded),
                        Figure.of(name(), "commands, files=" + files, commanded, "tasks/s")));
    }

    private static GenericKubernetesResource example(Lab lab, String file) throws Exception {
        return Serialization.unmarshal(
                Files.readString(lab.repository().resolve(EXAMPLE).resolve(file)), GenericKubernetesResource.class);
    }

    private static String shown(double number) {
        return String.format(Locale.ROOT, "%.2f", number);
    }
}
