package dev.quiver.sdk;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The running task: what a handler can know of it and say about it. Thread-safe; silent when the task has ended. */
public final class Task {
    private final String name;
    private final String handler;
    private final int trial;
    private final int allowed;
    private final byte[] variables;
    private volatile Slot slot; // null when the task has ended

    Task(Slot slot, TaskRecord record) {
        this.slot = slot;
        this.name = record.name();
        this.handler = record.handler();
        this.trial = record.trial();
        this.allowed = record.allowed();
        this.variables = record.environment();
    }

    /** For people. */
    public String name() {
        return name;
    }

    /** The name that the function was called by. */
    public String handler() {
        return handler;
    }

    /** This try, from 1. */
    public int trial() {
        return trial;
    }

    /** Tries in all, 0 if unknown. */
    public int allowed() {
        return allowed;
    }

    /** The task's variables: QUIVER_TASK, QUIVER_INDEX and the like, and the TaskSet's own. */
    public Map<String, String> env() {
        Map<String, String> env = new LinkedHashMap<>();
        for (String variable : new String(variables, StandardCharsets.UTF_8).split("\0")) {
            int equals = variable.indexOf('=');
            if (equals > 0) {
                env.put(variable.substring(0, equals), variable.substring(equals + 1));
            }
        }
        return Collections.unmodifiableMap(env);
    }

    /**
     * The positional arguments before an input that is Arrow, each as its JSON text. All others are in the {@linkplain
     * Input#arguments input}.
     */
    public List<String> arguments() {
        String array = env().get("QUIVER_ARGS");
        return array == null ? List.of() : JsonText.elements(array);
    }

    /** Whether this call is that of a plan which is to say what would undo the task. */
    public boolean undo() {
        return env().containsKey("QUIVER_UNDO");
    }

    /**
     * The token of each permit that it holds, by the resource's name; nothing where it holds none. Each grant of a permit
     * has a higher one than all before it. A store that remembers the highest can refuse what comes of a task whose worker
     * was taken for lost.
     */
    public Map<String, Long> tokens() {
        Map<String, Long> tokens = new LinkedHashMap<>();
        JsonText.members(env().getOrDefault("QUIVER_TOKENS", "{}"))
                .forEach((name, token) -> tokens.put(name.replaceAll("\\\\(.)", "$1"), Long.valueOf(token)));
        return Collections.unmodifiableMap(tokens);
    }

    /** Whether the last argument is a list of Arrow streams. */
    boolean refers() {
        return env().containsKey("QUIVER_REFERENCES");
    }

    /** How long it may still run, zero when the time is over; empty for as long as it likes. */
    public Optional<Duration> timeLeft() {
        Slot open = slot;
        long deadline = open == null ? 0 : open.deadline();
        return deadline == 0
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
    }

    /** Whether the handler should stop. Cheap enough for a loop. */
    public boolean isCancelled() {
        Slot open = slot;
        return open == null || open.cancelled() != 0;
    }

    /**
     * Tells how far it is, in units of its own.
     *
     * @param done from 0
     * @param total 0 if it is not known
     */
    public void progress(long done, long total) {
        if (done < 0 || total < 0) {
            throw new IllegalArgumentException("progress: numbers must be 0 or more, not " + done + " of " + total);
        }
        Slot open = slot;
        if (open != null) {
            open.progress(done, total);
        }
    }

    /** Asks for so much time from now on. At most the task's own limit is granted, within 200 ms. */
    public void extend(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("extend: the time must be zero or more, not " + time);
        }
        Slot open = slot;
        if (open != null) {
            Duration most = Duration.ofNanos(Long.MAX_VALUE - System.nanoTime());
            open.extend(time.compareTo(most) >= 0 ? Long.MAX_VALUE : System.nanoTime() + time.toNanos());
        }
    }

    /**
     * The logger {@code quiver.task}. It goes where the process's logging goes, which is stderr unless another target
     * is configured. The worker puts the task's name in front of every line.
     */
    public System.Logger log() {
        return System.getLogger("quiver.task");
    }

    /** A snapshot of the slot as a packet of 256 bytes; empty when the task has ended. */
    public Optional<byte[]> packet() {
        Slot open = slot;
        return open == null ? Optional.empty() : open.packet();
    }

    void end() {
        slot = null;
    }
}
