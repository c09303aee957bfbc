package dev.quiver.slots;

/** The result of reading a file of the user's side. */
public sealed interface FileRead {
    /**
     * The bytes, read once.
     *
     * @param bytes as many as were announced, or the last ones of a tail
     */
    record Content(byte[] bytes) implements FileRead {}

    /** The agent that wrote it is gone or was replaced: the file may be too. It is no fault of a task. */
    record Gone() implements FileRead {}

    /**
     * The file is not what was announced; nothing was read.
     *
     * @param violation what it is instead
     */
    record Refused(Violation violation) implements FileRead {}
}
