package dev.quiver.sdk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/** A handler process for {@link JavaHandlerIT}; works without Arrow on its class path. */
final class PlainHandlers {
    private static MemorySegment kept;

    private PlainHandlers() {}

    static Map<String, Handler> all() {
        Map<String, Handler> all = new TreeMap<>();
        all.put("echo", PlainHandlers::echo);
        all.put("about", PlainHandlers::about);
        all.put("raise", PlainHandlers::raise);
        all.put("large", (input, task) -> Output.bytes(new byte[2_000_000]));
        all.put("keep", PlainHandlers::keep);
        all.put("hold", PlainHandlers::hold);
        all.put("wait", PlainHandlers::await);
        all.put("spin", PlainHandlers::spin);
        all.put("poll", PlainHandlers::poll);
        all.put("extend", PlainHandlers::extend);
        all.put("print", PlainHandlers::print);
        all.put("progress", PlainHandlers::progress);
        all.put("locator", PlainHandlers::locator);
        all.put("together", BatchHandler.of(PlainHandlers::together));
        all.put("output", (input, task) -> new Arguments(Output.json("[]")));
        all.put("rows", IteratorHandler.of(PlainHandlers::rows));
        all.put("save", PlanHandler.with(PlainHandlers::save, PlainHandlers::plan));
        all.put("tally", ComplexHandler.serving(new Tally()));
        all.put("wrong", BatchHandler.of((inputs, tasks) -> List.of()));
        return all;
    }

    public static void main(String[] args) {
        Handlers.serve(all());
    }

    private static Output echo(Input input, Task task) {
        return switch (input.format()) {
            case BYTES -> input.length() % 2 == 0 ? Output.bytes(input.bytes()) : Output.bytes(direct(input));
            case JSON -> Output.json(input.text());
            case ARROW, EFFECTS -> null;
            case ARGUMENTS -> Output.json(input.arguments().toString());
        };
    }

    private static ByteBuffer direct(Input input) {
        return input.segment().asByteBuffer();
    }

    private static Output about(Input input, Task task) {
        return Output.json(String.join(
                " ",
                task.name(),
                task.handler(),
                task.trial() + "/" + task.allowed(),
                new TreeMap<>(task.env()).toString(),
                task.timeLeft().isEmpty() ? "no limit" : "limited",
                "tokens " + task.tokens(),
                task.packet().orElseThrow().length + " bytes",
                ProcessHandle.current().pid() + ""));
    }

    private static Output raise(Input input, Task task) throws Exception {
        throw switch (input.text()) {
            case "retry" -> new RetryAfterException(Duration.ofMillis(1500), "später");
            case "blocked" -> new BlockedException("tenant!acme", Duration.ofMillis(1500));
            case "never" -> new DoNotRetryException("nie");
            case "input" -> new InputInvalidException("nicht so");
            case "stack" -> new IllegalStateException(endless(0) + "");
            default -> new IllegalArgumentException("grün");
        };
    }

    private static int endless(int depth) {
        return endless(depth + 1) + 1;
    }

    private static Output keep(Input input, Task task) {
        String seen;
        try {
            seen = kept == null ? "nothing" : "byte " + kept.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 0);
        } catch (IllegalStateException e) {
            seen = "closed";
        }
        kept = input.segment();
        return Output.json(seen);
    }

    private static Output hold(Input input, Task task) {
        input.closeAfter(() -> {
            throw new IllegalStateException("a buffer is still held");
        });
        return null;
    }

    private static Output await(Input input, Task task) throws InterruptedException {
        System.out.println("waiting");
        new java.util.concurrent.CountDownLatch(1).await();
        return null;
    }

    private static Output spin(Input input, Task task) {
        System.out.println("spinning");
        while (true) {
            Thread.onSpinWait();
        }
    }

    /** Asks, as a loop that an interrupt does not reach does. */
    private static Output poll(Input input, Task task) {
        System.out.println("polling " + task.isCancelled());
        while (!task.isCancelled()) {
            Thread.onSpinWait();
        }
        System.out.println("polled " + task.isCancelled());
        return null;
    }

    /** Flushes nothing, and fails if it is told to. */
    private static Output print(Input input, Task task) {
        System.out.print("heard " + input.text());
        System.err.print("warned");
        if (input.text().equals("0")) {
            throw new IllegalStateException("zero");
        }
        return null;
    }

    /** Works for as long as the input says, which is longer than its limit, and asks for the time. */
    private static Output extend(Input input, Task task) {
        Duration left = task.timeLeft().orElseThrow();
        long until = System.nanoTime() + Duration.parse(input.text()).toNanos();
        while (System.nanoTime() < until) {
            if (task.isCancelled()) {
                throw new IllegalStateException("the extension was not granted");
            }
            task.extend(Duration.ofSeconds(30));
            LockSupport.parkNanos(10_000_000);
        }
        return Output.json(left.toString());
    }

    private static Output progress(Input input, Task task) {
        task.progress(3, 10);
        task.extend(Duration.ofSeconds(30)); // of no limit: it stays without one
        task.log().log(System.Logger.Level.INFO, "at {0}", 3);
        return Output.json(task.timeLeft().isEmpty() + " " + task.isCancelled());
    }

    /** The input with the number of tasks behind it; or fails alone, or as a whole. */
    private static List<Result> together(List<Input> inputs, List<Task> tasks) throws Exception {
        List<Result> results = new ArrayList<>();
        for (int i = 0; i < inputs.size(); i++) {
            String text = inputs.get(i).text();
            String index = tasks.get(i).env().getOrDefault("QUIVER_INDEX", "-");
            results.add(
                    switch (text) {
                        case "none" -> Result.of(null);
                        case "unclosable" -> Result.of(unclosable());
                        case "arguments" -> Result.of(new Arguments(Output.json("[]")));
                        case "done" -> Result.of(Done.of("1"));
                        case "large" -> Result.of(Output.bytes(new byte[2_000_000]));
                        case "hold" -> {
                            inputs.get(i).closeAfter(() -> {
                                throw new IllegalStateException("a buffer is still held");
                            });
                            yield Result.of(null);
                        }
                        case "retry" -> Result.failed(new RetryAfterException(Duration.ofMillis(1500), "später"));
                        case "all" -> throw new IllegalArgumentException("all " + inputs.size());
                        case "wait" -> {
                            System.out.println("waiting");
                            new java.util.concurrent.CountDownLatch(1).await();
                            yield null;
                        }
                        default -> Result.of(Output.json(text + " " + index + "/" + inputs.size()));
                    });
        }
        return results;
    }

    private static Output unclosable() {
        Output output = Output.json("written");
        return new Output() {
            @Override
            public Format format() {
                return output.format();
            }

            @Override
            public long length() throws IOException {
                return output.length();
            }

            @Override
            public void writeTo(WritableByteChannel channel) throws IOException {
                output.writeTo(channel);
            }

            @Override
            public void close() {
                throw new IllegalStateException("not closed");
            }
        };
    }

    /** An output that claims to be what only an input can be. */
    private record Arguments(Output output) implements Output {
        @Override
        public Format format() {
            return Format.ARGUMENTS;
        }

        @Override
        public long length() throws IOException {
            return output.length();
        }

        @Override
        public void writeTo(WritableByteChannel channel) throws IOException {
            output.writeTo(channel);
        }
    }

    /** The numbers below the argument, in tasks of the function "square". */
    private static String rows(Iteration iteration, Task task) {
        int begin = iteration.state().equals("null") ? 0 : Integer.parseInt(iteration.state());
        int count = Integer.parseInt(iteration.arguments().getFirst());
        if (begin == count) {
            return iteration.finished() == iteration.created() ? null : Iteration.LATER;
        }
        if (count < 0) {
            throw new IllegalArgumentException("below zero");
        }
        int end = Math.min(begin + iteration.room(), count);
        List<String> tasks = new ArrayList<>();
        for (int i = begin; i < end; i++) {
            tasks.add("{\"handler\":\"square\",\"args\":[" + i + "]}");
        }
        return Iteration.more(Integer.toString(end), tasks);
    }

    private static Output save(Input input, Task task) throws DoNotRetryException {
        return Done.of(input.text(), Collections.nCopies(Integer.parseInt(input.text()), "{\"handler\":\"sync\"}"));
    }

    private static Plan plan(Input input, Task task) throws Exception {
        return switch (input.text()) {
            case "0" -> null;
            case "1" -> Plan.builder().tags(List.of(task.handler())).build();
            case "2" -> Plan.done(Done.of(null));
            default -> throw new BlockedException("online", Duration.ofSeconds(1));
        };
    }

    /** A complex task: it counts, and a marker takes from what is counted. */
    private static final class Tally implements ComplexHandler {

        @Override
        public Map<String, String> init(String key) {
            return Map.of("n", "1");
        }

        @Override
        public Done plan(Kept kept, Task task) throws DoNotRetryException {
            return Done.of(kept.state().get("n"))
                    .changing(
                            List.of(Change.add("n", kept.args().getFirst()).expecting("1.0")),
                            Map.of("m", "{\"count\":" + kept.args().getFirst() + "}"))
                    .undoing(List.of("{\"handler\":\"undo\"}"));
        }

        @Override
        public Output execute(Kept kept, Task task) throws DoNotRetryException {
            Done done = Done.of(kept.state().get("n")).changing(List.of(Change.add("n", "-1")), Map.of());
            return kept.marker().orElseThrow().equals("m") ? done : done.undoing(List.of("{\"handler\":\"undo\"}"));
        }

        @Override
        public boolean hasContingency() {
            return true;
        }

        @Override
        public Optional<Done> wasDone(Kept kept, Task task) throws DoNotRetryException {
            return kept.args().isEmpty()
                    ? Optional.empty()
                    : Optional.of(Done.of("0").changing(List.of(Change.delete("n")), Map.of()));
        }
    }

    private static Output locator(Input input, Task task) {
        return Output.locator(new Locator(input.locator().path() + ".out", Format.ARROW));
    }
}
