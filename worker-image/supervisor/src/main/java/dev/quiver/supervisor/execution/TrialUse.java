package dev.quiver.supervisor.execution;

import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * The resources that a trial used and the output that it printed, for the record. The tails lie in its slot until
 * the end is acknowledged, and are read when somebody asks.
 *
 * @param measured false where the executor measures several tasks together
 * @param cpuMillis processor time of all its processes
 * @param maxRssKib largest resident size of one of its processes
 * @param outputBytes bytes that it wrote to stdout and stderr
 * @param stdout reads the end of stdout, empty when the slot does not have it any more
 * @param stderr the same of stderr
 * @param allStdout opens all of its stdout, of so many KiB at most; absent where it printed nothing. Close it
 * @param allStderr the same of stderr
 */
public record TrialUse(
        boolean measured,
        long cpuMillis,
        long maxRssKib,
        long outputBytes,
        Supplier<byte[]> stdout,
        Supplier<byte[]> stderr,
        IntFunction<Optional<PrintedStream>> allStdout,
        IntFunction<Optional<PrintedStream>> allStderr) {

    private static final byte[] NOTHING = {};

    /** The use of a trial that was not measured. */
    public static final TrialUse NONE = new TrialUse(
            false, 0, 0, 0, () -> NOTHING, () -> NOTHING, kib -> Optional.empty(), kib -> Optional.empty());
}
