package dev.quiver.slots;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.UUID;

import dev.quiver.slots.layout.ControlDescriptor;
import dev.quiver.slots.linux.Futex;

/**
 * The mapped {@code control} and inputs: what the supervisor writes. Words are stored sequentially consistent; the
 * fields of a slot are its owner's to order (the word last).
 */
final class ControlRegion {
    private static final VarHandle LONG = JAVA_LONG.varHandle();
    private static final VarHandle INT = JAVA_INT.varHandle();

    private final Geometry geometry;
    private final UUID id;
    private final MemorySegment control;
    private final List<MemorySegment> inputs;

    ControlRegion(Geometry geometry, UUID id, MemorySegment control, List<MemorySegment> inputs) {
        this.geometry = geometry;
        this.id = id;
        this.control = control;
        this.inputs = List.copyOf(inputs);
    }

    Geometry geometry() {
        return geometry;
    }

    UUID id() {
        return id;
    }

    long epoch() {
        return control.get(JAVA_LONG, ControlDescriptor.EPOCH_AT);
    }

    long word(int slot) {
        return (long) LONG.getVolatile(control, at(slot, ControlDescriptor.WORD));
    }

    void store(int slot, long word) {
        LONG.setVolatile(control, at(slot, ControlDescriptor.WORD), word);
    }

    /** Wakes the executor that sleeps on the slot's word. */
    void wake(int slot) {
        Futex.wakeAll(control.asSlice(at(slot, ControlDescriptor.WORD), Integer.BYTES));
    }

    void parked(boolean asleep) {
        INT.setVolatile(control, (long) ControlDescriptor.PARKED_AT, asleep ? 1 : 0);
    }

    void ringAgent() {
        int ignored = (int) INT.getAndAdd(control, (long) ControlDescriptor.AGENT_BELL_AT, 1);
    }

    void heartbeat(long now) {
        LONG.setOpaque(control, (long) ControlDescriptor.HEARTBEAT_AT, now);
    }

    long deadline(int slot) {
        return (long) LONG.getVolatile(control, at(slot, ControlDescriptor.DEADLINE));
    }

    /** May be written while the task runs: whoever is about to end it for lack of time looks again. */
    void deadline(int slot, long nanos) {
        LONG.setVolatile(control, at(slot, ControlDescriptor.DEADLINE), nanos);
    }

    long dispatched(int slot) {
        return control.get(JAVA_LONG, at(slot, ControlDescriptor.DISPATCHED));
    }

    int flags(int slot) {
        return (int) INT.getVolatile(control, at(slot, ControlDescriptor.FLAGS));
    }

    /** These are seen, or left behind by a process that dies, before all that is written to the slot afterwards. */
    void flags(int slot, int flags) {
        INT.setRelease(control, at(slot, ControlDescriptor.FLAGS), flags);
        VarHandle.storeStoreFence();
    }

    /** The minor version of the supervisor that made the region. */
    int minor() {
        return control.get(JAVA_SHORT, ControlDescriptor.MINOR_AT);
    }

    void putLong(int slot, int field, long value) {
        control.set(JAVA_LONG, at(slot, field), value);
    }

    void putInt(int slot, int field, int value) {
        control.set(JAVA_INT, at(slot, field), value);
    }

    /** The bytes, padded with zeros to the field's length. */
    void putBytes(int slot, int field, byte[] bytes, int length) {
        MemorySegment to = control.asSlice(at(slot, field), length);
        to.fill((byte) 0);
        MemorySegment.copy(bytes, 0, to, JAVA_BYTE, 0, bytes.length);
    }

    void putInput(int slot, long offset, byte[] bytes) {
        MemorySegment.copy(bytes, 0, inputs.get(slot), JAVA_BYTE, offset, bytes.length);
    }

    /** A copy of the input's first bytes. */
    byte[] input(int slot, int bytes) {
        return inputs.get(slot).asSlice(0, bytes).toArray(JAVA_BYTE);
    }

    /** A copy of the slot's record. */
    byte[] copy(int slot) {
        return control.asSlice(ControlDescriptor.slot(slot), ControlDescriptor.STRIDE)
                .toArray(JAVA_BYTE);
    }

    private static long at(int slot, int field) {
        return ControlDescriptor.slot(slot) + field;
    }
}
