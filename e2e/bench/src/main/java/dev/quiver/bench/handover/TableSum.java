package dev.quiver.bench.handover;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.arrow.vector.VectorSchemaRoot;

import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Samples;
import dev.quiver.bench.Table;
import dev.quiver.slots.DataFormat;
import dev.quiver.slots.Payload;

/** A table from a Java producer, summed in Python: through a file of the slots' volume, and over a socket. */
final class TableSum {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Lab lab;
    private final Path agent;

    TableSum(Lab lab, Path agent) {
        this.lab = lab;
        this.agent = agent;
    }

    /**
     * The time from the first byte written until the sum is known here. The growth of the Python process does not
     * include its own start.
     */
    private record Outcome(double millis, double peakMiB, double privateMiB) {}

    void run(List<String> text, List<Figure> figures, int bytes) throws Exception {
        int rows = bytes / Long.BYTES;
        Side python = Sides.python(lab);
        List<Outcome> slots = new ArrayList<>();
        List<Outcome> socket = new ArrayList<>();
        try (VectorSchemaRoot root = Columns.numbers(rows)) {
            for (int round = 0; round < lab.pace().rounds() + 2; round++) {
                slots.add(throughVolume(python, root));
                socket.add(overSocket(python, root));
            }
        }
        Table table = new Table(
                HandoverBench.size(bytes) + " table, Java → sum in Python",
                "ms",
                "peak RSS grew by, MiB",
                "private memory grew by, MiB");
        row(table, figures, "slots: file in the volume, mapped", slots, List.of());
        row(table, figures, "socket", socket, slots);
        text.add(table.toString());
        text.add("pages of the mapped file count as resident although they are the volume's; private is the process'"
                + " own memory; the file's memory is taken beforehand, as a slot's input is when its pod"
                + " starts");
    }

    private static void row(
            Table table, List<Figure> figures, String way, List<Outcome> outcomes, List<Outcome> against) {
        List<Double> cells = new ArrayList<>();
        List<java.util.function.ToDoubleFunction<Outcome>> columns =
                List.of(Outcome::millis, Outcome::peakMiB, Outcome::privateMiB);
        List<String> units = List.of("ms", "MiB", "MiB");
        List<String> names = List.of("time", "peak RSS", "private memory");
        for (int i = 0; i < columns.size(); i++) {
            double value = median(outcomes, columns.get(i));
            double other = against.isEmpty() ? 0 : median(against, columns.get(i));
            cells.add(value);
            Figure figure =
                    Figure.of("handover", "table " + way.split(":")[0] + " " + names.get(i), value, units.get(i));
            figures.add(other == 0 ? figure : figure.against("slots", other));
        }
        table.row(way, shown(cells.get(0)), shown(cells.get(1)), shown(cells.get(2)));
    }

    private static double median(List<Outcome> outcomes, java.util.function.ToDoubleFunction<Outcome> of) {
        return new Samples(outcomes.stream().mapToDouble(of).boxed().toList()).median();
    }

    private static String shown(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private Outcome throughVolume(Side python, VectorSchemaRoot root) throws Exception {
        try (Slots slots = Slots.open(agent, python, "noop", DataFormat.BYTES, 4096)) {
            try (VectorSchemaRoot one = Columns.numbers(1)) {
                slots.call("sum-located", Payload.locator(written(slots, one), DataFormat.ARROW));
            }
            written(slots, root); // takes the file's memory, as a slot's input has it from the start of its pod
            JsonNode before = JSON.readTree(slots.call("memory", Payload.none()));
            long began = System.nanoTime();
            String where = written(slots, root);
            JsonNode after = JSON.readTree(slots.call("sum-located", Payload.locator(where, DataFormat.ARROW)));
            return outcome(began, root, before, after);
        }
    }

    private static String written(Slots slots, VectorSchemaRoot root) throws IOException {
        Path file = slots.volume().resolve("table-" + root.getRowCount() + ".arrow");
        try (FileChannel to = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            Columns.write(root, to);
        }
        return file.toString();
    }

    private Outcome overSocket(Side python, VectorSchemaRoot root) throws Exception {
        Path path = lab.folder("table").resolve("socket");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(path));
            List<String> command = new ArrayList<>(python.command());
            command.addAll(List.of("table", path.toString()));
            ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
            builder.environment().putAll(python.environment());
            Process process = builder.start();
            try (SocketChannel peer = server.accept()) {
                BufferedReader answers = new BufferedReader(Channels.newReader(peer, StandardCharsets.UTF_8));
                JsonNode before = JSON.readTree(answers.readLine());
                long began = System.nanoTime();
                Columns.write(root, peer);
                return outcome(began, root, before, JSON.readTree(answers.readLine()));
            } finally {
                process.waitFor();
            }
        }
    }

    private static Outcome outcome(long began, VectorSchemaRoot root, JsonNode before, JsonNode after)
            throws IOException {
        double millis = (System.nanoTime() - began) / 1e6;
        long rows = root.getRowCount();
        if (after.get("sum").asLong() != rows * (rows - 1) / 2) {
            throw new IOException("a wrong sum: " + after);
        }
        double peak = (after.get("peakKiB").asLong() - before.get("peakKiB").asLong()) / 1024.0;
        double own =
                (after.get("privateKiB").asLong() - before.get("privateKiB").asLong()) / 1024.0;
        return new Outcome(millis, peak, own);
    }
}
