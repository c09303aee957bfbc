package dev.quiver.slots;

import java.time.Duration;
import java.util.Optional;

/**
 * How a trial ended: a copy, taken once and checked against its bounds. Times are measured by the executor.
 *
 * @param slot the slot
 * @param generation its generation
 * @param passed whether the command ended with exit code 0, or the handler returned; with a valid output
 * @param started whether a process was started, or a handler began, at all; if not, no trial was used
 * @param reason why it did not pass; {@link Reason#NONE} if it did
 * @param exitCode 0 to 255; -1 if it did not end by itself
 * @param signal the signal that ended it, 0 if none did
 * @param waited from dispatch to start
 * @param ran from start to the end of its last process
 * @param cpu processor time of all its processes
 * @param maxRssBytes the largest resident size of one of its processes
 * @param stdoutBytes bytes written to stdout; of a handler 0 unless its streams are kept or it died
 * @param stderrBytes bytes written to stderr, the traceback of a handler's exception included. For a handler only the
 *     end of its traceback, unless its streams are kept or it died
 * @param output what its output file holds
 * @param progress how far it said it was
 * @param retryAfter with {@link Reason#EXCEPTION} and {@link Reason#BLOCKED}: not again before so long after the end
 * @param message the executor's words about the reason, at most 128 bytes of valid UTF-8; often empty
 */
public record SlotResult(
        int slot,
        long generation,
        boolean passed,
        boolean started,
        Reason reason,
        int exitCode,
        int signal,
        Duration waited,
        Duration ran,
        Duration cpu,
        long maxRssBytes,
        long stdoutBytes,
        long stderrBytes,
        SlotOutput output,
        Progress progress,
        Optional<Duration> retryAfter,
        String message) {}
