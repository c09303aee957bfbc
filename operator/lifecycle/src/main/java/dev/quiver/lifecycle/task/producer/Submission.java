package dev.quiver.lifecycle.task.producer;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import dev.quiver.lifecycle.keyspace.KeyspaceHealth;
import dev.quiver.lifecycle.task.model.OnceName;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.rows.SubmitCall;

/**
 * Trees that a program creates, until Redis has confirmed them. A call leaves it when Redis has confirmed that call,
 * and for no other reason. So a submission that a {@link TaskProducer} could not finish is given to it again.
 *
 * <p>Redis counts the calls of a name once and in order. A name belongs to one submission at a time. A call that is on
 * its way may arrive late, and nothing else may follow under its name. No I/O; guarded by its producer.
 */
public final class Submission {

    /** The name under which calls are counted, and the number of the next one. */
    static final class Name {
        private final String text = KeyspaceHealth.randomName();
        private long next = 1;
        private long lastCounted = System.nanoTime();

        String text() {
            return text;
        }

        long next() {
            return next;
        }

        boolean isOlderThan(Duration age) {
            return System.nanoTime() - lastCounted > age.toNanos();
        }
    }

    private final Deque<SubmitCall> calls;
    private Name name;
    private OptionalLong unknownSince = OptionalLong.empty();
    private OptionalLong openSince = OptionalLong.empty();

    private Submission(List<SubmitCall> calls) {
        this.calls = new ArrayDeque<>(calls);
    }

    /** Trees that have no names, in as few calls as possible. */
    public static Submission of(Collection<TaskTree> trees) {
        return new Submission(SubmitCall.of(trees));
    }

    /** A tree of a name, which is made unless another one has the name. */
    public static Submission named(TaskTree tree, OnceName name) {
        return new Submission(SubmitCall.of(List.of(tree.named(Optional.of(name)))));
    }

    /** Whether Redis has confirmed all of it. */
    public boolean isDone() {
        return calls.isEmpty();
    }

    /** The calls that are not confirmed, in order. */
    Collection<SubmitCall> calls() {
        return calls;
    }

    SubmitCall first() {
        return calls.element();
    }

    Name name() {
        return name;
    }

    boolean hasName() {
        return name != null;
    }

    void take(Name fresh) {
        name = fresh;
    }

    Name giveUpName() {
        Name given = name;
        name = null;
        return given;
    }

    /** Calls leave now: whoever interrupts that knows no outcome. Answers since when one was unknown before. */
    OptionalLong send() {
        OptionalLong before = unknownSince;
        if (before.isEmpty()) {
            unknownSince = OptionalLong.of(System.nanoTime());
        }
        return before;
    }

    /** Notes the knowledge about the calls that left. */
    void known(OptionalLong since) {
        unknownSince = since;
    }

    /** Whether calls left whose outcome is not known. */
    boolean isUnknown() {
        return unknownSince.isPresent();
    }

    boolean isUnknownFor(Duration time) {
        return isPast(unknownSince, time);
    }

    /** Whether Redis got the first piece of a tree so long ago, and has not got its last one. */
    boolean isOpenFor(Duration time) {
        return isPast(openSince, time);
    }

    private static boolean isPast(OptionalLong since, Duration time) {
        return since.isPresent() && System.nanoTime() - since.getAsLong() > time.toNanos();
    }

    /** The first call is confirmed. */
    void count() {
        name.next++;
        name.lastCounted = System.nanoTime();
        if (!calls.remove().isOpen()) {
            openSince = OptionalLong.empty();
        } else if (openSince.isEmpty()) {
            openSince = OptionalLong.of(name.lastCounted);
        }
    }
}
