package dev.quiver.e2e.quiver;

import java.util.List;
import java.util.function.Function;

import org.awaitility.Awaitility;

/**
 * Work of every kind, under way in one namespace, so that an accident happens once and to all kinds at a time. A new kind
 * joins all these accidents by a line in {@link #KINDS}.
 */
public final class AllKinds {

    private static final List<Function<Space, Work>> KINDS =
            List.of(TaskSetWork::begin, TaskWork::begin, JobWork::begin);

    private final List<Work> all;

    /** Something of one kind that takes until the test lets it end. No accident here costs it a worker. */
    public interface Work {

        /** How many tasks write "ends" to their worker's log, once each. */
        int tasks();

        /** Waits until a part of it has ended while another part cannot. */
        void awaitMidway();

        /** Waits until the resource's status reports far more ended tasks than midway. */
        void awaitGoesOn();

        /** Lets the rest end and checks that every task counts once, as what it was. */
        void assertRight();
    }

    private AllKinds(List<Work> all) {
        this.all = all;
    }

    /** Begins work of every kind and waits until all of it is under way. */
    public static AllKinds midway(Space space) {
        AllKinds kinds =
                new AllKinds(KINDS.stream().map(kind -> kind.apply(space)).toList());
        kinds.all.forEach(Work::awaitMidway);
        return kinds;
    }

    /** Waits until all of it goes on after the accident. */
    public void awaitGoesOn() {
        all.forEach(Work::awaitGoesOn);
    }

    /** Lets all of it end, and checks what became of it. */
    public void assertRight() {
        all.forEach(Work::assertRight);
    }

    /** Checks that each task is in the workers' logs, which were followed from the beginning. */
    public void assertEachRan(LogBook log) {
        int tasks = all.stream().mapToInt(Work::tasks).sum();
        Awaitility.await("each of " + tasks + " tasks is in a log")
                .until(() -> log.lines().stream()
                                .filter(line -> line.endsWith("] ends"))
                                .distinct()
                                .count()
                        == tasks);
    }
}
