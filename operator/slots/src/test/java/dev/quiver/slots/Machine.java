package dev.quiver.slots;

/** What test classes that run beside each other have to share. */
final class Machine {
    /** Held by who uses all processors and by who measures how quickly something ends. */
    static final String PROCESSORS = "processors";

    private Machine() {}
}
