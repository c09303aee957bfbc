package dev.quiver.slots;

import java.util.Optional;

/** The two words of a slot: {@code generation << 8 | code}, generations counting from 1. */
final class Words {
    private static final Op[] OPS = Op.values();
    private static final Stage[] STAGES = Stage.values();

    private Words() {}

    static long of(long generation, Op op) {
        return generation << 8 | op.ordinal();
    }

    static long of(long generation, Stage stage) {
        return generation << 8 | stage.ordinal();
    }

    /** Unsigned, 56 bits. */
    static long generation(long word) {
        return word >>> 8;
    }

    static Optional<Op> op(long word) {
        int code = (int) (word & 0xFF);
        return code < OPS.length ? Optional.of(OPS[code]) : Optional.empty();
    }

    static Optional<Stage> stage(long word) {
        int code = (int) (word & 0xFF);
        return code < STAGES.length ? Optional.of(STAGES[code]) : Optional.empty();
    }

    static String text(long s, long u) {
        return "S=(" + generation(s) + ", " + op(s).map(Op::name).orElse("op " + (s & 0xFF)) + "), U=(" + generation(u)
                + ", " + stage(u).map(Stage::name).orElse("st " + (u & 0xFF)) + ")";
    }
}
