package dev.quiver.sdk.arrow;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;

import dev.quiver.sdk.Handlers;
import dev.quiver.sdk.Input;
import dev.quiver.sdk.Output;
import dev.quiver.sdk.Task;

/** A handler process for {@link ArrowHandlerIT}, with Arrow on its class path. */
final class ArrowHandlers {
    private ArrowHandlers() {}

    public static void main(String[] args) {
        Handlers.serve(Map.of(
                "where", ArrowHandlers::where,
                "double", ArrowHandlers::twice,
                "map", ArrowHandlers::map,
                "process", ArrowHandlers::process,
                "large", ArrowHandlers::large,
                "walk", ArrowHandlers::walk));
    }

    /** "rows buffers", and how many of the buffers do not lie in the slot's input file as this process maps it. */
    private static Output where(Input input, Task task) throws IOException {
        List<long[]> mapped = mapped();
        ArrowReader reader = ArrowInput.read(input);
        long rows = 0;
        long buffers = 0;
        long outside = 0;
        while (reader.loadNextBatch()) {
            VectorSchemaRoot root = reader.getVectorSchemaRoot();
            rows += root.getRowCount();
            for (FieldVector vector : root.getFieldVectors()) {
                List<ArrowBuf> all = vector.getFieldBuffers();
                // A column without nulls has no validity in the stream: it shares one of ones that is the process's
                // own.
                List<ArrowBuf> data = vector.getNullCount() == 0 ? all.subList(1, all.size()) : all;
                buffers += data.size();
                outside += data.stream().filter(buffer -> !lies(buffer, mapped)).count();
            }
        }
        return Output.json(rows + " " + buffers + " " + outside);
    }

    /** A batch for each of so many numbers. */
    private static Output map(Input input, Task task) {
        int batches = Integer.parseInt(input.arguments().getFirst());
        return ArrowOutput.of(
                IntStream.range(0, batches).mapToObj(ArrowHandlers::number).toList());
    }

    /** The numbers times its argument, and whether they were in the slot. */
    private static Output process(Input input, Task task) throws IOException {
        long factor = Long.parseLong(task.arguments().getFirst());
        List<long[]> mapped = mapped();
        ArrowReader reader = ArrowInput.read(input);
        List<VectorSchemaRoot> batches = new ArrayList<>();
        while (reader.loadNextBatch()) {
            BigIntVector n = (BigIntVector) reader.getVectorSchemaRoot().getVector("n");
            if (!lies(n.getDataBuffer(), mapped)) {
                throw new IllegalStateException("the batch is not in the slot");
            }
            batches.add(number(n.get(0) * factor));
        }
        return ArrowOutput.of(batches);
    }

    /** So many rows of the numbers from 0 on. */
    private static Output large(Input input, Task task) {
        int rows = Integer.parseInt(input.arguments().getFirst());
        BigIntVector n = new BigIntVector("n", ArrowMemory.allocator());
        n.allocateNew(rows);
        for (int i = 0; i < rows; i++) {
            n.set(i, i);
        }
        VectorSchemaRoot root = new VectorSchemaRoot(List.of(n));
        root.setRowCount(rows);
        return ArrowOutput.of(root);
    }

    /** The rows, their sum, and how many files of results were mapped at most. */
    private static Output walk(Input input, Task task) throws IOException {
        ArrowReader reader = ArrowInput.read(input);
        BigIntVector n = (BigIntVector) reader.getVectorSchemaRoot().getVector("n");
        long rows = 0;
        long sum = 0;
        long most = 0;
        while (reader.loadNextBatch()) {
            for (int i = 0; i < n.getValueCount(); i++) {
                sum += n.get(i);
            }
            rows += n.getValueCount();
            try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
                most = Math.max(
                        most, lines.filter(line -> line.endsWith(".arrow")).count());
            }
        }
        return Output.json("[" + rows + "," + sum + "," + most + "]");
    }

    private static VectorSchemaRoot number(long value) {
        BigIntVector n = new BigIntVector("n", ArrowMemory.allocator());
        n.setSafe(0, value);
        VectorSchemaRoot root = new VectorSchemaRoot(List.of(n));
        root.setRowCount(1);
        return root;
    }

    private static List<long[]> mapped() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.endsWith("/task-0.in"))
                    .map(line -> line.substring(0, line.indexOf(' ')).split("-"))
                    .map(ends -> new long[] {Long.parseUnsignedLong(ends[0], 16), Long.parseUnsignedLong(ends[1], 16)})
                    .toList();
        }
    }

    private static boolean lies(ArrowBuf buffer, List<long[]> mapped) {
        long from = buffer.memoryAddress();
        long to = from + buffer.capacity();
        return mapped.stream().anyMatch(range -> range[0] <= from && to <= range[1]);
    }

    /** The numbers of the column x twice as large, and their texts. */
    private static Output twice(Input input, Task task) throws IOException {
        BigIntVector doubled = new BigIntVector("doubled", ArrowMemory.allocator());
        VarCharVector texts = new VarCharVector("texts", ArrowMemory.allocator());
        ArrowReader reader = ArrowInput.read(input);
        int rows = 0;
        while (reader.loadNextBatch()) {
            BigIntVector x = (BigIntVector) reader.getVectorSchemaRoot().getVector("x");
            for (int i = 0; i < x.getValueCount(); i++, rows++) {
                if (x.isNull(i)) {
                    doubled.setNull(rows);
                } else {
                    doubled.setSafe(rows, 2 * x.get(i));
                }
                texts.setSafe(rows, ("grün " + rows).getBytes(StandardCharsets.UTF_8));
            }
        }
        VectorSchemaRoot root = new VectorSchemaRoot(List.of(doubled, texts));
        root.setRowCount(rows);
        return ArrowOutput.of(root);
    }
}
