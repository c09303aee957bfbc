package dev.quiver.lifecycle.execution;

/** An input is larger than its bound; the message has field and both sizes. */
public final class InputTooLargeException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private InputTooLargeException(String message) {
        super(message);
    }

    /** References that grow beyond the slot's input. */
    static InputTooLargeException expanded(String field, long characters, long most) {
        return new InputTooLargeException(
                field + " has " + characters + " characters with its $(...) expanded: all expansions may take " + most
                        + " bytes in all, slots.inputSize");
    }

    /** The same with words about ways out. */
    public InputTooLargeException with(String advice) {
        return new InputTooLargeException(getMessage() + ": " + advice);
    }

    /** An argument that no process can be given. */
    public static InputTooLargeException ofWord(String field, long bytes, long most) {
        return new InputTooLargeException(field + " has " + bytes + " bytes, and an argument of a process at most "
                + most + ": make it smaller, or use a handler");
    }

    /** Refuses more bytes than the field may have. */
    public static void check(String field, long bytes, long most) {
        if (bytes > most) {
            throw new InputTooLargeException(field + " has " + bytes + " bytes, at most " + most + " are allowed");
        }
    }
}
