package dev.quiver.supervisor.execution;

/** A report that cannot be read. The message says where and why, and is for people. */
final class InvalidReportException extends Exception {

    private static final long serialVersionUID = 1;

    InvalidReportException(String message) {
        super(message);
    }
}
