package dev.quiver.supervisor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;

import dev.quiver.sdk.Handlers;
import dev.quiver.sdk.Input;
import dev.quiver.sdk.Output;
import dev.quiver.sdk.Task;
import dev.quiver.sdk.arrow.ArrowInput;
import dev.quiver.sdk.arrow.ArrowMemory;
import dev.quiver.sdk.arrow.ArrowOutput;

/** The functions process and combine of a job over Arrow, in a handler process. */
final class ArrowFunctions {

    private ArrowFunctions() {}

    public static void main(String[] args) {
        Handlers.serve(Map.of("process", ArrowFunctions::process, "combine", ArrowFunctions::combine));
    }

    /** Its numbers times the argument. */
    private static Output process(Input input, Task task) throws IOException {
        long factor = Long.parseLong(task.arguments().getFirst());
        return ArrowOutput.of(
                column(numbers(input).stream().map(number -> number * factor).toList()));
    }

    /** All numbers as one batch. */
    private static Output combine(Input input, Task task) throws IOException {
        return ArrowOutput.of(column(numbers(input)));
    }

    private static List<Long> numbers(Input input) throws IOException {
        List<Long> numbers = new ArrayList<>();
        ArrowReader reader = ArrowInput.read(input);
        while (reader.loadNextBatch()) {
            BigIntVector n = (BigIntVector) reader.getVectorSchemaRoot().getVector("n");
            for (int i = 0; i < n.getValueCount(); i++) {
                numbers.add(n.get(i));
            }
        }
        return numbers;
    }

    private static VectorSchemaRoot column(List<Long> numbers) {
        BigIntVector n = new BigIntVector("n", ArrowMemory.allocator());
        for (int i = 0; i < numbers.size(); i++) {
            n.setSafe(i, numbers.get(i));
        }
        VectorSchemaRoot root = new VectorSchemaRoot(List.of(n));
        root.setRowCount(numbers.size());
        return root;
    }
}
