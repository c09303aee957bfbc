package dev.quiver.lifecycle.worker;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import dev.quiver.lifecycle.execution.RunnableTask;

/**
 * One source of work as one session sees it: a TaskSet, the chunks of a job, the pool's queue of Tasks. Holds what the
 * claims of this source need to become {@link RunnableTask}s, so keep it only while the session works at the source.
 * Thread-safe.
 */
public interface WorkSource {

    /** Tasks of one report at most. */
    int MOST_ATTENDED = 256;

    /** Bytes of a page of a list at most: many lines, or one that is as long as a task may be. */
    int MOST_PAGE_BYTES = 320 * 1024;

    /** Its name in the pool's order; what {@link WorkerSession#pick} answers. */
    String id();

    /** The kind of its tasks for metrics, one of a few words. */
    default String label() {
        return "Task";
    }

    /**
     * The handlers without which no task of it can run here; none if tasks need none or differ. If they differ, each
     * claim has its own, and a step passes over those that are not served.
     */
    List<String> handlers();

    /**
     * The most tasks that its specification wants in one dispatch to a handler, 1 to 64; absent: the worker goes by
     * their run time.
     */
    default Optional<Integer> batch() {
        return Optional.empty();
    }

    /** Tasks of it that one worker holds at a time at most, 1 or more; absent: as many as it has room for. */
    default Optional<Integer> mostHeld() {
        return Optional.empty();
    }

    /**
     * Prepares a step: settles tasks held of this source and claims up to as many as there are places. The step is not
     * sent yet.
     *
     * @throws IllegalStateException while another step of this source has no known outcome: run that one first
     */
    StepCall prepare(StepRequest request);

    /**
     * Reads what a task that is {@linkplain RunnableTask#isReady not ready} lacks. Blocks.
     *
     * @param most bytes of what is read at most
     * @throws IllegalArgumentException when it can never be read, with a message for people
     */
    default RunnableTask complete(RunnableTask task, long most) {
        return task;
    }

    /**
     * Brings a page of the list that a task {@linkplain RunnableTask#lists wrote}. Blocks, and may be repeated.
     *
     * @param claim of the task
     * @param page its number, from 0; the first one begins the list anew
     * @param text whole lines, at most {@value #MOST_PAGE_BYTES} bytes of UTF-8
     * @return whether the list is wanted: false once the task is not this session's any more
     */
    default boolean list(Claim claim, int page, String text) {
        throw new IllegalStateException("no task of " + id() + " writes a list");
    }

    /** Whether running tasks of it are to be {@linkplain #attend attended to} one by one. */
    default boolean attends() {
        return false;
    }

    /**
     * Reports how far running tasks are. Asks which of them were called off, or are withheld for now, while the source
     * runs on: they are to be stopped and given back. Blocks.
     *
     * @param running at most {@value #MOST_ATTENDED}
     * @return their ids
     */
    default Set<String> attend(Collection<RunningTask> running) {
        return Set.of();
    }

    /**
     * The same by a worker of this speed, which offers what takes it long to others, where a source lets it.
     *
     * @param slowness in thousandths of a task's usual time; 0 where it is not known
     */
    default Set<String> attend(Collection<RunningTask> running, int slowness) {
        return attend(running);
    }

    /**
     * Whether a task of it may run at two workers at the same time. Then those that are to be stopped were finished by the
     * other one.
     */
    default boolean speculates() {
        return false;
    }
}
