package dev.quiver.e2e.quiver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quiver.crds.v1alpha1.TaskSetStatus;

/** A TaskSet in an accident: most tasks take a second, one in five fails, the last ones wait for the test. */
final class TaskSetWork implements AllKinds.Work {

    private static final int TASKS = 60;
    private static final int FREE = 40;
    private static final int FAILING = 5; // one in so many

    private final Space space;
    private final Run run;

    private TaskSetWork(Space space) {
        this.space = space;
        this.run = space.run(Tasks.shell("work", """
                        sleep 1
                        [ $QUIVER_INDEX -lt %d ] || %s
                        echo ends
                        [ $((QUIVER_INDEX %% %d)) != 0 ]
                        """.formatted(FREE, Gate.WAIT, FAILING))
                .count(TASKS)
                .workers(2, 2));
    }

    static AllKinds.Work begin(Space space) {
        return new TaskSetWork(space);
    }

    @Override
    public int tasks() {
        return TASKS;
    }

    @Override
    public void awaitMidway() {
        run.awaitSucceeded(4);
    }

    @Override
    public void awaitGoesOn() {
        run.awaitSucceeded(FREE / 2);
    }

    @Override
    public void assertRight() {
        assertThat(new Gate(space).letEnd(run))
                .returns((long) TASKS - TASKS / FAILING, TaskSetStatus::succeeded)
                .returns((long) TASKS / FAILING, TaskSetStatus::failed)
                .returns((long) TASKS, TaskSetStatus::trials);
    }
}
