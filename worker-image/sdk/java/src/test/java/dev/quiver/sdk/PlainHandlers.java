package dev.quiver.sdk;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** A handler process for {@link JavaHandlerIT}; works without Arrow on its class path. */
final class PlainHandlers {
    private static MemorySegment kept;

    private PlainHandlers() {}

    static Map<String, Handler> all() {
        return new TreeMap<>(Map.of(
                "echo", PlainHandlers::echo,
                "about", PlainHandlers::about,
                "raise", PlainHandlers::raise,
                "large", (input, task) -> Output.bytes(new byte[2_000_000]),
                "keep", PlainHandlers::keep,
                "hold", PlainHandlers::hold,
                "wait", PlainHandlers::await,
                "spin", PlainHandlers::spin,
                "progress", PlainHandlers::progress,
                "locator", PlainHandlers::locator));
    }

    public static void main(String[] args) {
        Handlers.serve(all());
    }

    private static Output echo(Input input, Task task) {
        return switch (input.format()) {
            case BYTES -> input.length() % 2 == 0 ? Output.bytes(input.bytes()) : Output.bytes(direct(input));
            case JSON -> Output.json(input.text());
            case ARROW -> null;
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
                task.attempt() + "/" + task.allowed(),
                new TreeMap<>(task.env()).toString(),
                task.timeLeft().isEmpty() ? "no limit" : "limited",
                task.packet().orElseThrow().length + " bytes",
                ProcessHandle.current().pid() + ""));
    }

    private static Output raise(Input input, Task task) throws Exception {
        throw switch (input.text()) {
            case "retry" -> new RetryAfterException(Duration.ofMillis(1500), "später");
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

    private static Output progress(Input input, Task task) {
        task.progress(3, 10);
        task.extend(Duration.ofSeconds(30));
        return Output.json(task.isCancelled() + "");
    }

    private static Output locator(Input input, Task task) {
        return Output.locator(new Locator(input.locator().path() + ".out", Format.ARROW));
    }
}
