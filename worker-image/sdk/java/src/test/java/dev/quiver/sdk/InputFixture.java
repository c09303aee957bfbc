package dev.quiver.sdk;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/** Inputs without a slot, for tests of what reads them. */
public final class InputFixture {
    private InputFixture() {}

    /** An Arrow input over this memory. */
    public static Input arrow(MemorySegment memory) {
        return new Input(memory, Format.ARROW.ordinal(), false);
    }

    /** An input of this text. */
    static Input of(String text, int format, boolean locator) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new Input(MemorySegment.ofArray(bytes), format, locator);
    }

    /** Ends it as the SDK does; what was still held, or null. */
    public static Exception end(Input input) {
        return input.end();
    }
}
