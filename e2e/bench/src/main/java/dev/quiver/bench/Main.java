package dev.quiver.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

import dev.quiver.bench.autoscale.BurstBench;
import dev.quiver.bench.autoscale.IdlePoolsBench;
import dev.quiver.bench.calls.CallsBench;
import dev.quiver.bench.commands.CommandsBench;
import dev.quiver.bench.commands.HandlersBench;
import dev.quiver.bench.footprint.FootprintBench;
import dev.quiver.bench.handover.HandoverBench;
import dev.quiver.bench.history.BacklogBench;
import dev.quiver.bench.history.DelayBench;
import dev.quiver.bench.history.PageBench;
import dev.quiver.bench.history.PersisterBench;
import dev.quiver.bench.history.ProcessBench;
import dev.quiver.bench.history.ReadingBench;
import dev.quiver.bench.history.SlotsBench;
import dev.quiver.bench.history.StepBench;
import dev.quiver.bench.latency.LatencyBench;
import dev.quiver.bench.latency.StepsBench;
import dev.quiver.bench.mapreduce.ChunksBench;
import dev.quiver.bench.mapreduce.PhasesBench;
import dev.quiver.bench.mapreduce.PhrasesBench;
import dev.quiver.bench.scale.PodsBench;
import dev.quiver.bench.scale.ResourcesBench;
import dev.quiver.bench.scale.ScaleBench;
import dev.quiver.bench.scheduling.SchedulingBench;
import dev.quiver.bench.task.BytesBench;
import dev.quiver.bench.task.ClientBench;
import dev.quiver.bench.task.FlowsBench;
import dev.quiver.bench.task.HealingBench;
import dev.quiver.bench.task.IteratorBench;
import dev.quiver.bench.task.LeavesBench;
import dev.quiver.bench.taskset.AcceptanceBench;
import dev.quiver.bench.taskset.MakespanBench;
import dev.quiver.bench.taskset.OrderBench;
import dev.quiver.bench.throughput.ThroughputBench;

/**
 * {@code [--smoke] [--alone] [--slots=N] [--window=SECONDS] [--rounds=N] [--commands=N] [--tasks=N] [--children=N] [name…]}: runs
 * the named benchmarks, or all of them and keeps their output in a file under {@code e2e/results/}. Prints for each the
 * conditions, tables, and last one line of JSON for each figure. Ends with 1 when one failed or could not run.
 */
public final class Main {

    private static final List<Bench> ALL = List.of(
            new ThroughputBench(),
            new LatencyBench(),
            new CommandsBench(),
            new HandlersBench(),
            new ScaleBench(),
            new ResourcesBench(),
            new PodsBench(),
            new FootprintBench(),
            new HandoverBench(),
            new CallsBench(),
            new LeavesBench(),
            new StepsBench(),
            new FlowsBench(),
            new BytesBench(),
            new ClientBench(),
            new HealingBench(),
            new IteratorBench(),
            new ChunksBench(),
            new PhasesBench(),
            new PhrasesBench(),
            new StepBench(),
            new SlotsBench(),
            new PersisterBench(),
            new DelayBench(),
            new BacklogBench(),
            new ReadingBench(),
            new PageBench(),
            new ProcessBench(),
            new IdlePoolsBench(),
            new BurstBench(),
            new MakespanBench(),
            new OrderBench(),
            new AcceptanceBench(),
            new SchedulingBench());

    private Main() {}

    public static void main(String[] arguments) throws Exception {
        List<String> names = new ArrayList<>(List.of(arguments));
        boolean smoke = names.remove("--smoke");
        boolean alone = names.remove("--alone");
        Pace pace = smoke ? Pace.SMOKE : Pace.FULL;
        pace = option(names, "--slots=").map(pace::withSlots).orElse(pace);
        pace = option(names, "--window=").map(pace::withWindow).orElse(pace);
        pace = option(names, "--rounds=").map(pace::withRounds).orElse(pace);
        pace = option(names, "--commands=").map(pace::withCommands).orElse(pace);
        pace = option(names, "--tasks=").map(pace::withTroubled).orElse(pace);
        pace = option(names, "--children=").map(pace::withChildren).orElse(pace);
        List<String> known = ALL.stream()
                .map(Bench::name)
                .flatMap(bench -> Stream.of(family(bench), bench))
                .distinct()
                .toList();
        List<String> unknown =
                names.stream().filter(Predicate.not(known::contains)).toList();
        if (!unknown.isEmpty()) {
            System.err.println("no benchmark is called " + String.join(", ", unknown) + "; there are: "
                    + String.join(", ", known));
            System.exit(2);
        }
        List<Bench> chosen = ALL.stream().filter(bench -> isMeant(bench, names)).toList();
        Path repository = Path.of(System.getProperty("quiver.repository", "."))
                .toAbsolutePath()
                .normalize();
        boolean allRan = true;
        StringBuilder kept = new StringBuilder();
        for (Bench bench : chosen) {
            allRan &= run(bench, repository, pace, alone, kept);
        }
        if (names.isEmpty()) {
            System.out.println("\nkept in " + keep(repository, kept));
        }
        System.exit(allRan ? 0 : 1);
    }

    private static Optional<Integer> option(List<String> arguments, String name) {
        Optional<String> given =
                arguments.stream().filter(it -> it.startsWith(name)).findFirst();
        given.ifPresent(arguments::remove);
        return given.map(it -> Integer.parseInt(it.substring(name.length())));
    }

    /** Whether a word names this benchmark, or the family of it: {@code task} is all of {@code task-…}. */
    private static boolean isMeant(Bench bench, List<String> names) {
        return names.isEmpty() || names.contains(bench.name()) || names.contains(family(bench.name()));
    }

    private static String family(String bench) {
        return bench.replaceFirst("-.*", "");
    }

    private static boolean run(Bench bench, Path repository, Pace pace, boolean alone, StringBuilder kept)
            throws Exception {
        say(kept, "\n== " + bench.name() + ": " + bench.question());
        say(kept, Conditions.machine());
        Conditions conditions = Conditions.begin();
        try (Lab lab = Lab.open(repository, pace, alone)) {
            Report report = bench.run(lab);
            report.text().forEach(text -> say(kept, text));
            say(kept, conditions.besides());
            report.figures().forEach(figure -> say(kept, figure.json()));
            return true;
        } catch (MissingPartException missing) {
            say(kept, bench.name() + " cannot run here: " + missing.getMessage());
        } catch (IOException | RuntimeException | java.util.concurrent.TimeoutException failure) {
            say(kept, bench.name() + " failed: " + failure);
            failure.printStackTrace();
        }
        return false;
    }

    private static void say(StringBuilder kept, String text) {
        System.out.println(text);
        kept.append(text).append('\n');
    }

    private static Path keep(Path repository, StringBuilder kept) throws IOException {
        Path folder = Files.createDirectories(repository.resolve("e2e/results"));
        String at = LocalDateTime.now(ZoneOffset.UTC).format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss"));
        return Files.writeString(folder.resolve("bench-" + at + ".txt"), kept);
    }
}
