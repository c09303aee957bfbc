package dev.quiver.slots;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

import dev.quiver.slots.layout.ControlDescriptor;

/**
 * Whether a {@code control} that an earlier supervisor left can be gone on with. The user's side cannot write it, but a
 * supervisor may have died in the middle, be of another version, or have had another geometry. Pure.
 */
final class ControlCheck {
    private ControlCheck() {}

    /** The fault with the name of its field; empty for a sound header. */
    static Optional<String> fault(MemorySegment control, Geometry geometry) {
        return differs("magic", control.get(JAVA_LONG, ControlDescriptor.MAGIC_AT), ControlDescriptor.MAGIC)
                .or(() ->
                        differs("major", control.get(JAVA_SHORT, ControlDescriptor.MAJOR_AT), ControlDescriptor.MAJOR))
                .or(() -> differs(
                        "headerBytes", control, ControlDescriptor.HEADER_BYTES_AT, ControlDescriptor.HEADER_BYTES))
                .or(() -> differs("slots", control, ControlDescriptor.SLOTS_AT, geometry.slots()))
                .or(() -> differs("stride", control, ControlDescriptor.STRIDE_AT, ControlDescriptor.STRIDE))
                .or(() -> differs(
                        "byte order", control, ControlDescriptor.BYTE_ORDER_AT, ControlDescriptor.BYTE_ORDER_MARK))
                .or(() -> differs(
                        "inCapacity", control.get(JAVA_LONG, ControlDescriptor.IN_CAPACITY_AT), geometry.inputBytes()))
                .or(() -> differs(
                        "outCapacity",
                        control.get(JAVA_LONG, ControlDescriptor.OUT_CAPACITY_AT),
                        geometry.outputBytes()))
                .or(() -> words(control, geometry.slots()));
    }

    private static Optional<String> words(MemorySegment control, int slots) {
        for (int slot = 0; slot < slots; slot++) {
            long word = control.get(JAVA_LONG, ControlDescriptor.slot(slot) + ControlDescriptor.WORD);
            boolean used = Words.generation(word) > 0;
            Optional<Op> op = Words.op(word);
            if (op.isEmpty() || (op.get() == Op.NONE) == used) {
                return Optional.of("S of slot " + slot + " is 0x" + Long.toHexString(word));
            }
        }
        return Optional.empty();
    }

    private static Optional<String> differs(String field, MemorySegment control, int at, int wanted) {
        return differs(field, control.get(JAVA_INT, at), wanted);
    }

    private static Optional<String> differs(String field, long found, long wanted) {
        return found == wanted
                ? Optional.empty()
                : Optional.of(field + " is 0x" + Long.toHexString(found) + ", not 0x" + Long.toHexString(wanted));
    }
}
