package dev.quiver.sdk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The work thread's part: one task after the other, from taken to free. */
final class Work {
    private final Map<String, ? extends Handler> handlers;
    private final List<String> names;
    private final Slot slot;
    private final Interruption interruption = new Interruption();
    private final WritableByteChannel channel;

    Work(Map<String, ? extends Handler> handlers, List<String> names, Slot slot) {
        this.handlers = handlers;
        this.names = names;
        this.slot = slot;
        this.channel = new SlotChannel(slot);
    }

    /** By the watch thread: returns when the worker ends. */
    void watch() {
        for (Optional<Long> called = slot.event(); called.isPresent(); called = slot.event()) {
            interruption.interrupt(called.get());
        }
    }

    /** By the thread that made it. Returns when the worker ends, or false when this process must be replaced. */
    boolean run() {
        for (Optional<TaskRecord> record = slot.take(); record.isPresent(); record = slot.take()) {
            if (!serve(record.get())) {
                slot.replace();
                return false;
            }
            slot.release();
        }
        return true;
    }

    private boolean serve(TaskRecord record) {
        return handlers.get(record.handler()) instanceof BatchHandler all && slot.takeWhole()
                ? callAll(all, record.generation())
                : runTask(record);
    }

    /** The same for all tasks of a batch in one call. */
    private boolean callAll(BatchHandler handler, long generation) {
        WholeCall whole = new WholeCall(slot, channel);
        boolean sane = true;
        Failure failure = null;
        interruption.arm(generation);
        try {
            int why = slot.cancelled();
            if (why == 0) {
                whole.run(handler);
            } else {
                failure = Failure.calledOff(why);
            }
        } catch (Exception | Error e) {
            int why = slot.cancelled();
            failure = why != 0 ? Failure.calledOff(why) : Failure.of(e);
            sane = !(e instanceof OutOfMemoryError);
        } finally {
            interruption.disarm();
            whole.end();
        }
        if (failure != null && slot.left() > 0) {
            slot.rewrite();
            slot.failAll(failure);
        }
        return whole.letGo() && sane;
    }

    /** From taken to reported. False when the process cannot promise to be clean. */
    private boolean runTask(TaskRecord record) {
        Task task = new Task(slot, record);
        Outcome outcome;
        Input input = null;
        boolean sane = true;
        interruption.arm(record.generation());
        try {
            input = new Input(record.input(), record.format(), record.isLocator(), task::refers);
            outcome = outcome(task, input, record.outputLimit());
        } catch (Exception | Error e) {
            int why = slot.cancelled();
            outcome = why != 0 ? Failure.calledOff(why) : Failure.of(e);
            sane = !(e instanceof OutOfMemoryError); // the heap is lost to something that stays
        } finally {
            interruption.disarm();
            task.end();
        }
        boolean clean = input == null || input.letGo(task.name()); // its output was written before
        if (clean) {
            slot.letGo();
        }
        switch (outcome) {
            case Outcome.Written(Format format, boolean locator) -> slot.complete(format, locator);
            case Failure failure -> {
                slot.rewrite();
                slot.fail(failure);
            }
        }
        return clean && sane;
    }

    /** Runs the function and writes its output. */
    private Outcome outcome(Task task, Input input, long limit) throws Exception {
        int why = slot.cancelled();
        if (why != 0) { // called off before there was anything to interrupt
            return Failure.calledOff(why);
        }
        Handler handler = handlers.get(task.handler());
        if (handler == null) {
            return Failure.notServed(task.handler(), names);
        }
        try (Output output = handler.handle(input, task)) {
            if (output == null) {
                return new Outcome.Written(Format.BYTES, false);
            }
            return written(output, limit, task);
        }
    }

    private Outcome written(Output output, long limit, Task task) throws Exception {
        Format format = Format.ofOutput(output);
        long length = output.length();
        Optional<Output> place = Scratch.place(output, length, task);
        if (place.isPresent()) {
            return written(place.get(), limit, task);
        }
        if (length > limit) {
            return Failure.tooLarge(length, limit);
        }
        output.writeTo(channel);
        return new Outcome.Written(format, output.isLocator());
    }

    private record SlotChannel(Slot slot) implements WritableByteChannel {
        @Override
        public int write(ByteBuffer from) throws IOException {
            return slot.write(from);
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
