package dev.quiver.controller.taskset;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

import dev.quiver.lifecycle.taskset.StatusChange;
import dev.quiver.lifecycle.taskset.TaskSetControl;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetState;
import dev.quiver.lifecycle.worker.TrialFailure;

/**
 * The program of {@code spec.source.command}. In Redis it is the only task of a source beside the set. So a worker claims
 * it and loses it as any task, and it is called off as one. Its list stands there until the tasks are fed. Every act can be
 * repeated.
 *
 * @param control of the set's keyspace
 */
record SourceProgram(TaskSetControl control, TaskSetView view) {

    /** How far the program is. */
    sealed interface State {

        /** It has not ended; the message is for people. */
        record GoesOn(String message) implements State {}

        /** It failed; the message is for people. */
        record Failed(String message) implements State {}

        /** It has written its list. */
        record Ended() implements State {}
    }

    private String uid() {
        return TaskSetControl.listing(view.set().getMetadata().getUid());
    }

    /** Starts the program unless it was started, and applies the spec to it. */
    State look() {
        Optional<TaskSetSnapshot> found =
                Optional.ofNullable(control.snapshot(List.of(uid())).get(uid()));
        if (found.isEmpty()) {
            return control.open(TaskSetOpenings.ofProgram(view, uid())) instanceof TaskSetControl.OpenOutcome.Open
                    ? waits()
                    : new State.GoesOn("The program of spec.source.command starts anew, as the one before is removed.");
        }
        TaskSetSnapshot run = found.get();
        return switch (run.status()) {
            case RUNNING, SUSPENDED -> {
                steer(run.status());
                yield run.running() > 0 && !view.wantsSuspension()
                        ? new State.GoesOn("The program of spec.source.command runs.")
                        : waits();
            }
            case SUCCEEDED -> new State.Ended();
            case FAILED, CANCELLED -> new State.Failed(words(run));
        };
    }

    private State waits() {
        return new State.GoesOn(
                view.wantsSuspension()
                        ? "The run is suspended: the program of spec.source.command waits."
                        : "The program of spec.source.command waits for a worker.");
    }

    private void steer(TaskSetState status) {
        if (view.wantsSuspension() && status == TaskSetState.RUNNING) {
            control.changeStatus(uid(), new StatusChange.Suspend());
        } else if (!view.wantsSuspension() && status == TaskSetState.SUSPENDED) {
            control.changeStatus(uid(), new StatusChange.Resume());
        }
    }

    private static String words(TaskSetSnapshot run) {
        return "spec.source.command: "
                + run.failures().stream().findFirst().map(SourceProgram::words).orElse("the program was called off")
                + ".";
    }

    private static String words(TrialFailure failure) {
        String end = failure.exitCode().map(code -> "exit code " + code + ", ").orElse("")
                + failure.signal().map(signal -> "signal " + signal + ", ").orElse("")
                + failure.reason();
        String lines = failure.message().strip();
        return lines.isEmpty() ? end : end + ": " + lines;
    }

    /** The lines of its list, read a page at a time. */
    Iterator<String> lines() {
        return new Lines();
    }

    /** Removes the program with its list, unless the intake of its tasks was cut off and has to read it again. */
    void dropOnceRead() {
        String set = view.set().getMetadata().getUid();
        Optional.ofNullable(control.snapshot(List.of(set)).get(set))
                .filter(TaskSetSnapshot::sourceClosed)
                .ifPresent(_ -> drop());
    }

    /** Removes the program with its list. */
    void drop() {
        control.drop(uid());
    }

    private final class Lines implements Iterator<String> {

        /** A worker writes no more; further ones are a tenant's. */
        private static final int MOST_PAGES = 8192;

        private Iterator<String> page = List.<String>of().iterator();
        private int next;
        private boolean last;

        @Override
        public boolean hasNext() {
            while (!page.hasNext() && !last) {
                Optional<String> text = next == MOST_PAGES ? Optional.empty() : control.page(uid(), next++);
                last = text.isEmpty();
                page = text.map(its -> its.lines().iterator()).orElse(page);
            }
            return page.hasNext();
        }

        @Override
        public String next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return page.next();
        }
    }
}
