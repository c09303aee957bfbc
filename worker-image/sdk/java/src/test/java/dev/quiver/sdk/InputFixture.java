package dev.quiver.sdk;

import java.lang.foreign.MemorySegment;

/** Inputs without a slot, for tests of what reads them. */
public final class InputFixture {
    private InputFixture() {}

    /** An Arrow input over this memory. */
    public static Input arrow(MemorySegment memory) {
        return new Input(memory, Format.ARROW.ordinal(), false);
    }

    /** Ends it as the SDK does; what was still held, or null. */
    public static Exception end(Input input) {
        return input.end();
    }
}
