package dev.quiver.lifecycle.worker;

import java.time.Duration;

/** The kinds of settlements as scripts take them: a letter, which a time may follow. {@code settling.lua} has the same. */
public enum SettlementKind {
    /** The task has passed. */
    PASSED("p"),
    /** The task has ended pending: it does not count against its source. */
    PENDING("q"),
    /** The task has passed, and its function brought tasks that follow. */
    EFFECTS("e"),
    /** The task's plan is made, and it is to be executed. */
    PLANNED("n"),
    /** An iterator has answered. */
    ITERATED("i"),
    /** The trial has failed. */
    FAILED("f"),
    /** The trial has failed, and none follows. */
    FAILED_FOR_GOOD("x"),
    /** The trial has failed, none follows, and the source ends with it. */
    FAILED_FOR_ALL("y"),
    /** The worker was lost under the task. */
    LOST("l"),
    /** The task was not run. */
    RETURNED("r"),
    /** The task ran and was broken off: whether it did what it does is not known. */
    BROKEN_OFF("o"),
    /** The task has another place in the worker. */
    MOVED("m"),
    /** The trial has failed; the ms follow before which none is tried again. */
    FAILED_FOR_NOW("d"),
    /** The trial has failed, and maybe did what it does; the ms follow before which that is looked into. */
    DOUBTFUL("u"),
    /** The task was not run; the ms follow for which it waits. */
    RETURNED_FOR_NOW("w"),
    /** The task was not run, since a resource is missing; the ms follow for which that lasts. */
    BLOCKED("b");

    private final String letter;

    SettlementKind(String letter) {
        this.letter = letter;
    }

    /** As scripts take it. */
    public String letter() {
        return letter;
    }

    /** The same with the time that follows it. */
    public String letter(Duration time) {
        return letter + time.toMillis();
    }
}
