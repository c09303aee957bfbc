package dev.quiver.slots;

import java.util.Optional;

/** Why a trial did not pass. The word goes into status as it is; the code is the one in {@code exec}. */
public enum Reason {
    /** The trial passed. */
    NONE(0, ""),
    /** The command ended with an exit code other than 0. */
    NON_ZERO_EXIT(1, "NonZeroExit"),
    /** A signal ended the command. */
    SIGNALLED(2, "Signalled"),
    /** The kernel ended the command, or one of its processes, for lack of memory. */
    OOM_KILLED(3, "OOMKilled"),
    /** No such program, neither as a path nor in PATH, or its interpreter is missing. */
    COMMAND_NOT_FOUND(4, "CommandNotFound"),
    /** The program exists but may not be executed. */
    PERMISSION_DENIED(5, "PermissionDenied"),
    /** Arguments and environment together are larger than the kernel takes. */
    ARGUMENTS_TOO_LONG(6, "ArgumentsTooLong"),
    /** The working directory does not exist or may not be entered. */
    BAD_WORKING_DIRECTORY(7, "BadWorkingDirectory"),
    /** The file is not in a format that the kernel executes. */
    NOT_EXECUTABLE(8, "NotExecutable"),
    /** The process could not be started for another reason; the message has it. */
    START_FAILED(9, "StartFailed"),
    /** The deadline passed before the command or handler ended. */
    TIMED_OUT(10, "TimedOut"),
    /** The output is larger than the slot takes; the message has both sizes. */
    OUTPUT_TOO_LARGE(11, "OutputTooLarge"),
    /** The output is not a plain file with one name. */
    OUTPUT_INVALID(12, "OutputInvalid"),
    /** The process that ran the command died. */
    RUNNER_DIED(13, "RunnerDied"),
    /** The command record could not be read; the message says what is wrong with it. */
    BAD_RECORD(14, "BadRecord"),
    /** The supervisor called the task off. */
    CANCELLED(15, "Cancelled"),
    /** The worker container is ending: not started when {@link SlotResult#started} is false, else cut off. */
    DRAINED(16, "Drained"),
    /** The handler raised an exception; the message has its type and text, stderr the end of the traceback. */
    EXCEPTION(17, "Exception"),
    /** The handler said that no further trial can pass: the task is over whatever trials are left. */
    DO_NOT_RETRY(18, "DoNotRetry"),
    /** The handler process serves no handler of this name; the message has those that it serves. */
    HANDLER_NOT_FOUND(19, "HandlerNotFound"),
    /** The handler process ended while it ran the task, or three times before it could begin. */
    HANDLER_DIED(20, "HandlerDied"),
    /** The input is not what its format says, or its locator leads nowhere. */
    INPUT_INVALID(21, "InputInvalid"),
    /** The handler came upon a resource that is missing; the message is its name. */
    BLOCKED(22, "Blocked");

    private final int code;
    private final String word;

    Reason(int code, String word) {
        this.code = code;
        this.word = word;
    }

    private static final Reason[] BY_CODE = values();

    /** The number in {@code exec}. */
    public int code() {
        return code;
    }

    /** The PascalCase word for status and samples; empty for {@link #NONE}. */
    public String word() {
        return word;
    }

    /** The reason with this number, empty for any other number. */
    public static Optional<Reason> ofCode(int code) {
        return code < 0 || code >= BY_CODE.length ? Optional.empty() : Optional.of(BY_CODE[code]);
    }
}
