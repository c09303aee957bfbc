package dev.quiver.slots;

/** The part of the machine that test classes beside each other have to share. */
final class Machine {
    /** Held by who measures how quickly something ends; to be read by who uses all processors meanwhile. */
    static final String PROCESSORS = "processors";

    private Machine() {}
}
