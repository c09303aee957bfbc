package dev.quiver.slots;

import java.time.Duration;

/**
 * The snapshot of a slot, in the fields of the packet of 256 bytes. {@link PacketCodec} gives its bytes.
 *
 * @param worker who runs it, at most 32 bytes of UTF-8
 * @param taskHash SHA-256 of the task's id, 64 hexadecimal digits
 * @param state the state
 * @param generation the low half of the slot's generation, unsigned
 * @param trial number of the trial, from 1; 0 if the slot was never used
 * @param allowed trials that the task has in all, 0 if unknown
 * @param startedNanos monotonic nanoseconds, 0 if it has not started
 * @param elapsed run time so far, or in all
 * @param kind 1 for a command, 2 for a handler, 0 if the slot was never used
 * @param format of the payload, see {@link DataFormat#code}
 * @param length of the payload in bytes
 * @param reason why the trial failed
 * @param exitCode the exit code, -1 if it did not end by itself
 * @param signal the signal that ended it, or 0
 * @param name the task's name, at most 128 bytes of UTF-8
 */
public record Packet(
        String worker,
        String taskHash,
        SlotState state,
        int generation,
        int trial,
        int allowed,
        long startedNanos,
        Duration elapsed,
        int kind,
        int format,
        long length,
        Reason reason,
        int exitCode,
        int signal,
        String name) {}
