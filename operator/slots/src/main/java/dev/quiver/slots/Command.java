package dev.quiver.slots;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A program to run as one process (and whatever it starts). Immutable; strings are passed byte for byte as UTF-8.
 *
 * @param argv program and arguments, 1 to {@value #MAX_STRINGS}; without a slash the program is looked up in the PATH
 *     of the task's environment
 * @param env variables on top of the user container's own environment, at most {@value #MAX_STRINGS}; the agent adds
 *     QUIVER_SLOT, QUIVER_INPUT, QUIVER_INPUT_LENGTH and QUIVER_OUTPUT, which these cannot replace
 * @param workingDirectory where it starts; empty for the container's own
 * @param grace between TERM and KILL when it is called off or out of time, at most {@link #MAX_GRACE}
 * @param streamKib KiB of stdout, and as many of stderr, that the agent keeps on a disk, 0 to {@value #MAX_STREAM_KIB}; 0:
 *     their last 16 KiB alone
 */
public record Command(
        List<String> argv, Map<String, String> env, Optional<String> workingDirectory, Duration grace, int streamKib)
        implements SlotProgram {
    /** The most arguments, and the most variables. */
    public static final int MAX_STRINGS = 4096;

    /** The grace when nothing else is said. */
    public static final Duration DEFAULT_GRACE = Duration.ofSeconds(5);

    /** The most KiB of a stream: 1 GiB. */
    public static final int MAX_STREAM_KIB = 1 << 20;

    /** The longest grace. */
    public static final Duration MAX_GRACE = Duration.ofHours(1);

    /**
     * Copies the collections, keeping their order. The dispatch finds faults (no program, NUL in a string, a
     * variable's name with {@code =}), see {@link Dispatch.Invalid}.
     */
    public Command {
        argv = List.copyOf(argv);
        env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
    }

    /** A command of which the ends of its streams are kept. */
    public Command(List<String> argv, Map<String, String> env, Optional<String> workingDirectory, Duration grace) {
        this(argv, env, workingDirectory, grace, 0);
    }

    /** A command in the container's own directory and environment with the default grace. */
    public static Command of(String... argv) {
        return new Command(List.of(argv), Map.of(), Optional.empty(), DEFAULT_GRACE);
    }

    /** The same command with this environment in place of the present one. */
    public Command withEnv(Map<String, String> variables) {
        return new Command(argv, variables, workingDirectory, grace, streamKib);
    }

    /** The same command in this directory. */
    public Command in(String directory) {
        return new Command(argv, env, Optional.of(directory), grace, streamKib);
    }

    /** The same command with this grace. */
    public Command withGrace(Duration time) {
        return new Command(argv, env, workingDirectory, time, streamKib);
    }

    /** The same command with so many KiB of each stream. */
    public Command keepingStreams(int kib) {
        return new Command(argv, env, workingDirectory, grace, kib);
    }
}
