package dev.quiver.controller.taskset;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.client.KubernetesClient;

import dev.quiver.controller.run.RecordClient;
import dev.quiver.controller.run.RecordClient.Answer;
import dev.quiver.controller.run.RecordClient.EndedRun;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.taskset.schedule.TaskSetSchedules;
import dev.quiver.controller.taskset.source.Source;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.taskset.TaskSetControl;
import dev.quiver.lifecycle.taskset.UnpassedTasks;

/**
 * Picks the tasks of a source that did not pass in an earlier run, for {@code spec.onlyFailedOf}. The earlier run may be
 * such a repetition itself. Redis knows its tasks while the resource is there, behind that the record does. Thread-safe.
 *
 * @param client asks the API server for the earlier run
 * @param control of a keyspace
 * @param keyspaceOf a TaskSet
 * @param record of earlier runs
 */
record EarlierRuns(
        KubernetesClient client,
        Function<Keyspace, TaskSetControl> control,
        Function<TaskSet, Keyspace> keyspaceOf,
        RecordClient record) {

    /** Repetitions of repetitions, at most. */
    private static final int DEEPEST = 16;

    /** The result. */
    sealed interface Picked {

        /**
         * The tasks to run.
         *
         * @param numbers in the source, ascending
         */
        record Tasks(List<Integer> numbers) implements Picked {}

        /** The tasks are not known, or not yet; the message is for people. */
        record Waits(String message) implements Picked {}

        /** The record alone can tell, and it cannot be asked now; the message is for people. */
        record Unread(String message) implements Picked {}
    }

    /**
     * The tasks that did not pass.
     *
     * @param whole the source, as both runs have it
     * @param earlier name of the other TaskSet
     */
    Picked pick(String namespace, Source whole, String earlier) {
        return pick(namespace, whole, earlier, DEEPEST);
    }

    private Picked pick(String namespace, Source whole, String earlier, int depth) {
        Optional<TaskSet> found = find(namespace, earlier);
        if (found.isEmpty()) {
            return recorded(namespace, whole, earlier);
        }
        TaskSet run = found.get();
        String name = run.getMetadata().getName();
        TaskSetStatus status = run.getStatus();
        if (status == null || !Conditions.isTrue(status.conditions(), ConditionType.Finished)) {
            return new Picked.Waits("TaskSet " + name + " has not ended");
        }
        if (depth == 0) {
            return new Picked.Waits("more than " + DEEPEST + " runs repeat one another before TaskSet " + name);
        }
        Picked its = run.getSpec()
                .repeats()
                .map(before -> pick(namespace, whole, before, depth - 1))
                .orElseGet(() -> new Picked.Tasks(
                        IntStream.range(0, whole.tasks()).boxed().toList()));
        boolean neverAccepted = status.sourceHash() == null && status.total() == null;
        if (!(its instanceof Picked.Tasks(var numbers)) || neverAccepted) {
            return its; // no task of it ran
        }
        Source source = run.getSpec().repeats().map(_ -> whole.pick(numbers)).orElse(whole);
        return source.hash().equals(status.sourceHash())
                ? unpassed(run, numbers)
                : new Picked.Waits(
                        status.sourceHash() == null
                                ? "nobody knows whether TaskSet " + name + " had this source: its status has no hash"
                                : "TaskSet " + name + " had another source, so its tasks are others");
    }

    /** The latest run of that name on record, whose resource is gone. */
    private Picked recorded(String namespace, Source whole, String earlier) {
        String nobody = "there is no run of a TaskSet " + earlier + " in this namespace";
        if (!record.isThere()) {
            return new Picked.Waits(nobody);
        }
        return switch (record.latestRun(namespace, RunKind.TASK_SET, earlier)) {
            case Answer.Known<EndedRun>(EndedRun run) ->
                run.sourceHash().equals(whole.hash()) && run.tasks() == whole.tasks()
                        ? new Picked.Tasks(run.unpassed().stream().boxed().toList())
                        : new Picked.Waits("the latest run of TaskSet " + earlier
                                + " on record had another source, so its tasks are others");
            case Answer.Nothing<EndedRun> _ -> new Picked.Waits(nobody + ", nor on record");
            case Answer.Away<EndedRun>(String why) ->
                new Picked.Unread("there is no TaskSet " + earlier + ", and its record cannot be read: " + why);
        };
    }

    /** The same of a run whose resource is there, though Redis lost its tasks. */
    private Picked recorded(TaskSet run, List<Integer> numbers) {
        String name = run.getMetadata().getName();
        String unknown = "Redis does not know any more which tasks of TaskSet " + name + " did not pass";
        if (!record.isThere()) {
            return new Picked.Waits(unknown);
        }
        return switch (record.latestRun(run.getMetadata().getNamespace(), RunKind.TASK_SET, name)) {
            case Answer.Known<EndedRun>(EndedRun recorded)
            when recorded.uid().equals(run.getMetadata().getUid())
                    && recorded.sourceHash().equals(run.getStatus().sourceHash())
                    && recorded.tasks() == numbers.size() ->
                new Picked.Tasks(
                        recorded.unpassed().stream().mapToObj(numbers::get).toList());
            case Answer.Known<EndedRun> _, Answer.Nothing<EndedRun> _ ->
                new Picked.Waits(unknown + ", nor does the record");
            case Answer.Away<EndedRun>(String why) ->
                new Picked.Unread(unknown + ", and its record cannot be read: " + why);
        };
    }

    private Picked unpassed(TaskSet run, List<Integer> numbers) {
        String name = run.getMetadata().getName();
        return switch (control.apply(keyspaceOf.apply(run))
                .unpassed(run.getMetadata().getUid())) {
            case UnpassedTasks.Known known ->
                new Picked.Tasks(IntStream.range(0, numbers.size())
                        .filter(known::has)
                        .mapToObj(numbers::get)
                        .toList());
            case UnpassedTasks.Held(long tasks) ->
                new Picked.Waits(tasks + " tasks of TaskSet " + name + " are still being stopped");
            case UnpassedTasks.GoesOn() -> new Picked.Waits("TaskSet " + name + " has not ended");
            case UnpassedTasks.Unknown() -> recorded(run, numbers);
        };
    }

    /** The run of that name; of a schedule the latest one. */
    private Optional<TaskSet> find(String namespace, String name) {
        var here = client.resources(TaskSet.class).inNamespace(namespace);
        return Optional.ofNullable(here.withName(name).get())
                .flatMap(set -> set.getSpec().recurrence().isEmpty()
                        ? Optional.of(set)
                        : TaskSetSchedules.latest(
                                set,
                                here.withLabel(Quiver.SCHEDULE_LABEL, name)
                                        .list()
                                        .getItems()));
    }
}
