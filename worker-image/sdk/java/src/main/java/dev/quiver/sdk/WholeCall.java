package dev.quiver.sdk;

import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;

/** One call of a function with all tasks of a batch that have no outcome yet, and what is said of each. */
final class WholeCall {
    private final Slot slot;
    private final WritableByteChannel channel;
    private final List<Task> tasks = new ArrayList<>();
    private final List<Input> inputs = new ArrayList<>();
    private final List<Result> refused = new ArrayList<>(); // of each task, null: it has an input

    /** After {@link Slot#takeWhole}. */
    WholeCall(Slot slot, WritableByteChannel channel) {
        this.slot = slot;
        this.channel = channel;
        for (int i = 0; i < slot.left(); i++) {
            TaskRecord record = slot.peek(i);
            try {
                Task task = new Task(slot, record);
                inputs.add(new Input(record.input(), record.format(), record.isLocator(), task::refers));
                tasks.add(task);
                refused.add(null);
            } catch (InputInvalidException e) {
                refused.add(Result.failed(e));
            }
        }
    }

    /** Calls the function and tells of each task. An exception that is thrown before that is the call's. */
    void run(BatchHandler handler) throws Exception {
        List<Result> results =
                tasks.isEmpty() ? List.of() : Result.checked(handler.handleAll(inputs, tasks), tasks.size());
        int given = 0;
        int told = 0;
        try {
            for (Result alone : refused) {
                Result result = alone != null ? alone : results.get(given++);
                told = given;
                if (!tell(result)) {
                    break;
                }
            }
        } finally {
            results.subList(told, results.size()).forEach(result -> close(result.output()));
        }
    }

    /** False when the dispatch has ended. */
    private boolean tell(Result result) {
        int before = slot.left();
        try (Output output = result.output()) {
            int why = slot.cancelled();
            if (why != 0) {
                slot.fail(Failure.calledOff(why));
            } else if (result.failure() != null) {
                slot.fail(Failure.of(result.failure()).withoutTrace());
            } else {
                write(output);
            }
        } catch (IOException | RuntimeException e) { // the output's own
            if (slot.left() == before) {
                int why = slot.cancelled();
                slot.rewrite();
                slot.fail(why != 0 ? Failure.calledOff(why) : Failure.of(e).withoutTrace());
            } else { // the task has its outcome, and the next one is not to blame
                System.err.println("quiver: an output could not be closed: " + e);
            }
        }
        return slot.left() > 0;
    }

    private void write(Output output) throws IOException {
        if (output == null) {
            slot.complete(Format.BYTES, false);
            return;
        }
        Format format = Format.ofOutput(output);
        long length = output.length();
        long room = slot.peek(0).outputLimit();
        if (length > room) {
            slot.fail(Failure.tooLarge(length, room));
            return;
        }
        output.writeTo(channel);
        slot.complete(format, output.isLocator());
    }

    /** The tasks are silent from now on. */
    void end() {
        tasks.forEach(Task::end);
    }

    /** Takes the memory back. False when something still holds it. */
    boolean letGo() {
        boolean free = true;
        for (int i = 0; i < inputs.size(); i++) {
            free &= inputs.get(i).letGo(tasks.get(i).name());
        }
        return free;
    }

    private static void close(Output output) {
        if (output != null) {
            output.close();
        }
    }
}
