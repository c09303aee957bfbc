package dev.quiver.bench.handover;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

import org.HdrHistogram.Histogram;

import dev.quiver.bench.Bench;
import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Table;
import dev.quiver.bench.quiver.ExecutorProgram;
import dev.quiver.slots.DataFormat;

/** Dispatch to C, Java and Python through slots, socket and pipe, by payload; then one large table, made and summed. */
public final class HandoverBench implements Bench {

    private static final int MIB = 1 << 20;
    private static final List<Integer> SIZES = List.of(64, 4096, 64 * 1024, MIB, 16 * MIB, 64 * MIB);
    private static final int LARGEST_APART = 64 * 1024;
    private static final Duration APART = Duration.ofMillis(1);
    private static final Map<String, Double> AIMS = Map.of("C", 3.0, "Java", 3.0, "Python", 10.0);

    /** One measured setting. */
    private record Case(String language, String way, int bytes, boolean apart) {}

    @Override
    public String name() {
        return "handover";
    }

    @Override
    public String question() {
        return "supervisor → handler → back, against a Unix-domain socket and a pipe";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        Path agent = ExecutorProgram.agent(lab);
        Map<Case, Histogram> times = new LinkedHashMap<>();
        Map<Case, Histogram> inHandler = new LinkedHashMap<>();
        List<Integer> sizes = lab.pace().rounds() == 1 ? SIZES.subList(0, 4) : SIZES;
        for (Side side : Sides.all(lab)) {
            for (Way way : ways(lab, agent, side, sizes.getLast())) {
                try (way) {
                    measure(lab, side, way, sizes, times, inHandler);
                }
            }
        }
        List<String> text = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        text.add(
                "both sides sleep between; the payload starts in this JVM's heap and ends as memory of the other side that"
                        + " its code can read; `in handler` is from the handler's start to its end, as the slot"
                        + " reports it");
        tell(times, inHandler, text, figures);
        new TableSum(lab, agent).run(text, figures, sizes.getLast());
        return new Report(text, figures);
    }

    private static List<Way> ways(Lab lab, Path agent, Side side, int largest) throws Exception {
        List<Way> ways = new ArrayList<>();
        ways.add(Slots.open(agent, side, "noop", DataFormat.BYTES, largest));
        if (side.readsTables()) {
            ways.add(Slots.open(agent, side, "rows", DataFormat.ARROW, largest + MIB));
        }
        ways.add(Bytes.socket(side, lab.folder("socket")));
        ways.add(Bytes.pipe(side));
        return ways;
    }

    private static void measure(
            Lab lab,
            Side side,
            Way way,
            List<Integer> sizes,
            Map<Case, Histogram> times,
            Map<Case, Histogram> inHandler)
            throws Exception {
        boolean tables = way instanceof Slots slots && slots.name().endsWith("Arrow");
        for (int bytes : sizes) {
            byte[] payload = tables ? Columns.stream(bytes / Long.BYTES) : new byte[bytes];
            for (boolean apart : new boolean[] {false, true}) {
                if (apart && bytes > LARGEST_APART) {
                    continue;
                }
                Case at = new Case(side.language(), way.name(), bytes, apart);
                turn(way, payload, apart, lab.pace().warmUp(), new Histogram(3), Optional.empty());
                Optional<Histogram> inside = way instanceof Slots ? Optional.of(new Histogram(3)) : Optional.empty();
                Histogram histogram = new Histogram(3);
                turn(
                        way,
                        payload,
                        apart,
                        lab.pace().window().multipliedBy(lab.pace().rounds()),
                        histogram,
                        inside);
                times.put(at, histogram);
                inside.ifPresent(ran -> inHandler.put(at, ran));
            }
        }
    }

    private static void turn(
            Way way, byte[] payload, boolean apart, Duration window, Histogram to, Optional<Histogram> inside)
            throws Exception {
        long until = System.nanoTime() + window.toNanos();
        do {
            to.recordValue(way.roundTrip(payload));
            if (inside.isPresent() && way instanceof Slots slots) {
                inside.get().recordValue(slots.ran().toNanos());
            }
            if (apart) {
                LockSupport.parkNanos(APART.toNanos());
            }
        } while (System.nanoTime() < until);
    }

    private void tell(
            Map<Case, Histogram> times, Map<Case, Histogram> inHandler, List<String> text, List<Figure> figures) {
        Table table = new Table("µs", "payload", "", "p50", "p99", "p99.9", "in handler p50", "against slots");
        times.forEach((at, histogram) -> {
            double p50 = micros(histogram, 50);
            double slots = micros(times.get(new Case(at.language(), "slots", at.bytes(), at.apart())), 50);
            table.row(
                    at.language() + " " + at.way(),
                    size(at.bytes()),
                    at.apart() ? "1 ms apart" : "back to back",
                    shown(p50),
                    shown(micros(histogram, 99)),
                    shown(micros(histogram, 99.9)),
                    inHandler.containsKey(at) ? shown(micros(inHandler.get(at), 50)) : "-",
                    String.format(Locale.ROOT, "%.1f×", p50 / slots));
            String figure =
                    at.language() + " " + at.way() + " " + size(at.bytes()) + (at.apart() ? " apart" : "") + " p50";
            Figure plain = Figure.of(name(), figure, p50, "µs");
            boolean aimed = at.way().equals("slots") && at.bytes() == SIZES.getFirst() && !at.apart();
            figures.add(
                    aimed
                            ? plain.against("aim", AIMS.get(at.language()))
                            : at.way().startsWith("slots") ? plain : plain.against("slots", slots));
        });
        text.add(table.toString());
    }

    private static double micros(Histogram histogram, double percentile) {
        return histogram.getValueAtPercentile(percentile) / 1e3;
    }

    private static String shown(double micros) {
        return String.format(Locale.ROOT, micros < 100 ? "%.1f" : "%,.0f", micros);
    }

    static String size(int bytes) {
        return bytes < 1024 ? bytes + " B" : bytes < MIB ? bytes / 1024 + " KB" : bytes / MIB + " MB";
    }
}
