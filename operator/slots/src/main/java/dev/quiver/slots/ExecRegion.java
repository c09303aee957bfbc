package dev.quiver.slots;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;

import dev.quiver.slots.layout.ControlDescriptor;
import dev.quiver.slots.layout.ExecDescriptor;
import dev.quiver.slots.linux.Descriptor;
import dev.quiver.slots.linux.LinuxException;

/** The agent's {@code exec}, mapped read-only. Its writer is not trusted. */
final class ExecRegion {
    private static final VarHandle LONG = JAVA_LONG.varHandle();
    private static final VarHandle INT = JAVA_INT.varHandle();
    private static final VarHandle BYTE = JAVA_BYTE.varHandle();
    private static final int SEALS = Descriptor.SEAL_SEAL | Descriptor.SEAL_SHRINK | Descriptor.SEAL_GROW;

    private final MemorySegment exec;
    private final MemorySegment doorbell;
    private final int slots;

    private ExecRegion(MemorySegment exec, int slots) {
        this.exec = exec;
        this.slots = slots;
        this.doorbell = exec.asSlice(ExecDescriptor.DOORBELL_AT, Integer.BYTES);
    }

    /** The memory is not what it has to be. */
    static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1L;

        RefusedException(String message) {
            super(message);
        }
    }

    /** Checks kind, seals, size and header, then maps. The descriptor may be closed afterwards. */
    static ExecRegion map(Descriptor memory, ControlRegion control) throws RefusedException {
        try {
            long bytes = expectedBytes(control.geometry().slots());
            OptionalInt seals = memory.seals();
            if (seals.isEmpty() || !memory.isSharedMemory() || !memory.status().regular()) {
                throw new RefusedException("the descriptor sent as exec is not a memory file");
            }
            if ((seals.getAsInt() & SEALS) != SEALS) {
                throw new RefusedException("the memory sent as exec has seals 0x"
                        + Integer.toHexString(seals.getAsInt()) + ", it needs SEAL, SHRINK and GROW");
            }
            if (memory.status().size() != bytes) {
                throw new RefusedException(
                        "the memory sent as exec has " + memory.status().size() + " bytes, it must have " + bytes);
            }
            ExecRegion region =
                    new ExecRegion(memory.mapReadOnly(bytes), control.geometry().slots());
            region.checkHeader(control);
            return region;
        } catch (LinuxException e) {
            throw new RefusedException("the memory sent as exec cannot be used: " + e.getMessage());
        }
    }

    static long expectedBytes(int slots) {
        return Geometry.pages(ExecDescriptor.bytes(slots));
    }

    private void checkHeader(ControlRegion control) throws RefusedException {
        require("magic", exec.get(JAVA_LONG, ControlDescriptor.MAGIC_AT), ExecDescriptor.MAGIC);
        require("major version", exec.get(JAVA_SHORT, ControlDescriptor.MAJOR_AT), ControlDescriptor.MAJOR);
        require(
                "slots",
                exec.get(JAVA_INT, ControlDescriptor.SLOTS_AT),
                control.geometry().slots());
        require("stride", exec.get(JAVA_INT, ControlDescriptor.STRIDE_AT), ExecDescriptor.STRIDE);
        require(
                "region id",
                Long.reverseBytes(exec.get(JAVA_LONG, ExecDescriptor.REGION_ID_AT)),
                control.id().getMostSignificantBits());
        require(
                "region id",
                Long.reverseBytes(exec.get(JAVA_LONG, ExecDescriptor.REGION_ID_AT + 8)),
                control.id().getLeastSignificantBits());
    }

    private static void require(String field, long found, long wanted) throws RefusedException {
        if (found != wanted) {
            throw new RefusedException("exec has " + field + " 0x" + Long.toHexString(found) + ", it must be 0x"
                    + Long.toHexString(wanted));
        }
    }

    long agentEpoch() {
        return exec.get(JAVA_LONG, ExecDescriptor.AGENT_EPOCH_AT);
    }

    long word(int slot) {
        return (long) LONG.getVolatile(exec, ExecDescriptor.slot(slot) + ExecDescriptor.WORD);
    }

    boolean parked(int slot) {
        return (int) INT.getVolatile(exec, ExecDescriptor.slot(slot) + ExecDescriptor.PARKED) != 0;
    }

    boolean started(int slot) {
        return startedAt(slot) != 0;
    }

    /** When the task, or the batch's first one, began: monotonic nanoseconds, 0 for never. */
    long startedAt(int slot) {
        return exec.get(JAVA_LONG, ExecDescriptor.slot(slot) + ExecDescriptor.STARTED);
    }

    /** The progress of a batch: how many tasks have an outcome, and {@link ExecDescriptor#DONE_WHOLE}. */
    int done(int slot) {
        return (int) INT.getVolatile(exec, ExecDescriptor.slot(slot) + ExecDescriptor.DONE);
    }

    /** Whether the next task may follow a pass without an acknowledge. */
    boolean takesNext(int slot) {
        return (done(slot) & ExecDescriptor.DONE_NEXT) != 0;
    }

    /** Whether all of so many tasks have an outcome. */
    boolean allDone(int slot, int tasks) {
        return tasks > 0 && (done(slot) & ExecDescriptor.DONE_MASK) == tasks;
    }

    /** The minor version of the slots that the slot's handler speaks, 0 without one. */
    int handlerMinor(int slot) {
        return Byte.toUnsignedInt((byte) BYTE.getAcquire(exec, (long) ExecDescriptor.MINOR_AT + slot));
    }

    /** One copy of the slot's first outcomes. */
    byte[] outcomes(int slot, int tasks) {
        return exec.asSlice(ExecDescriptor.outcomes(slot, slots), (long) tasks * ExecDescriptor.OUTCOME_STRIDE)
                .toArray(JAVA_BYTE);
    }

    /** Read while it may be written; whatever it is. */
    long wantedDeadline(int slot) {
        return (long) LONG.getOpaque(exec, ExecDescriptor.slot(slot) + ExecDescriptor.WANTED_DEADLINE);
    }

    /** Odd while the handlers' names are written. */
    int handlersSequence() {
        return (int) INT.getAcquire(exec, (long) ExecDescriptor.HANDLERS_SEQUENCE_AT);
    }

    /** One copy of the handlers' names, empty if they changed since the sequence was read. */
    Optional<byte[]> handlers(int sequence) throws HandlerNames.RefusedException {
        if ((sequence & 1) != 0) {
            return Optional.empty();
        }
        int announced = (int) INT.getOpaque(exec, (long) ExecDescriptor.HANDLERS_LENGTH_AT);
        byte[] copy = exec.asSlice(ExecDescriptor.HANDLERS_AT, ExecDescriptor.HANDLERS_BYTES)
                .toArray(JAVA_BYTE);
        VarHandle.loadLoadFence();
        return handlersSequence() == sequence
                ? Optional.of(Arrays.copyOf(copy, HandlerNames.length(announced)))
                : Optional.empty();
    }

    /** The bell as it is now: executors count its word up when they ring. */
    DoorbellWait.Bell doorbell() {
        return new DoorbellWait.Bell(doorbell, (int) INT.getVolatile(doorbell, 0L));
    }

    /** One copy of the slot's record: what is checked in it is what is used. */
    byte[] copy(int slot) {
        return exec.asSlice(ExecDescriptor.slot(slot), ExecDescriptor.STRIDE).toArray(JAVA_BYTE);
    }
}
