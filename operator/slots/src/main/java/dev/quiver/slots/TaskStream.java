package dev.quiver.slots;

/** The two streams of a command whose last bytes are kept. */
public enum TaskStream {
    /** Standard output. */
    STDOUT,
    /** Standard error. */
    STDERR
}
