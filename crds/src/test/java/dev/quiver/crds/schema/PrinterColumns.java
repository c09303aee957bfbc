package dev.quiver.crds.schema;

import java.util.List;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The columns that {@code kubectl get} shows, in this order. */
record PrinterColumns(List<Column> columns) {
    static final PrinterColumns TASK_SET = new PrinterColumns(List.of(
            Column.of("Progress", "string", ".status.progress", "Decided tasks and all tasks."),
            Column.of("%", "integer", ".status.percent", "Decided tasks in percent of all."),
            Column.of("Running", "integer", ".status.running", "Tasks that a worker holds now."),
            Column.of("Failed", "integer", ".status.failed", "Tasks that failed, all their trials spent."),
            Column.of("Workers", "string", ".status.workers", "Worker pods that are ready and those wanted."),
            Column.of("ETA", "string", ".status.eta", "About how long the run will still take."),
            Column.of("Succeeded", "string", condition("Succeeded", "status"), "Unknown until the run is finished."),
            Column.of("Age", "date", ".metadata.creationTimestamp", "Since when the TaskSet exists."),
            Column.wide(
                    "Reason", "string", condition("Finished", "reason"), "Why the run waits, goes on or has ended."),
            Column.wide("Queued", "integer", ".status.queued", "Tasks that wait for a slot."),
            Column.wide("Pending", "integer", ".status.pending", "Tasks that passed as pending."),
            Column.wide("Trials", "integer", ".status.trials", "Trials that were counted so far."),
            Column.wide("Next", "string", ".status.schedule.nextScheduleTime", "When the next run is due."),
            Column.wide("Pool", "string", ".status.workerPoolName", "The WorkerPool that does the work.")));

    static final PrinterColumns WORKER_POOL = new PrinterColumns(List.of(
            Column.of("Replicas", "integer", ".status.desiredReplicas", "Worker pods that there should be."),
            Column.of("Ready", "integer", ".status.readyReplicas", "Pods that are ready to run tasks."),
            Column.of("Busy", "integer", ".status.busySlots", "Slots that run a task now."),
            Column.of("Slots", "integer", ".status.slots", "Slots of all ready pods."),
            Column.of(
                    "Draining",
                    "integer",
                    ".status.drainingReplicas",
                    "Pods that finish their running tasks and are then deleted."),
            Column.of("Blocked", "integer", ".status.blocked", "Tasks that wait for a resource."),
            Column.of("Reason", "string", condition("Ready", "reason"), "Why the pool is ready or not."),
            Column.of("Age", "date", ".metadata.creationTimestamp", "Since when the WorkerPool exists."),
            Column.wide("Queued", "integer", ".status.queued", "Tasks that wait for a slot, with autoscaling."),
            Column.wide("Updated", "integer", ".status.updatedReplicas", "Pods made from the present template."),
            Column.wide("Hash", "string", ".status.templateHash", "Hash of the parts of the pods."),
            Column.wide("Store", "string", condition("StoreReachable", "status"), "Whether Redis is reachable."),
            Column.wide("Keyspace", "string", ".spec.keyspace", "The named keyspace, if any.")));

    static final PrinterColumns MAP_REDUCE_JOB = new PrinterColumns(List.of(
            Column.of("State", "string", ".status.state", "Where the job is."),
            Column.of("Chunks", "string", ".status.progress", "Ended chunks and all of them."),
            Column.of("%", "integer", ".status.percent", "Ended chunks in percent of all."),
            Column.of("Errored", "integer", ".status.chunks.errored", "Chunks that wait for their next trial."),
            Column.of("ETA", "string", ".status.eta", "About how long the chunks will still take."),
            Column.of("Succeeded", "string", condition("Succeeded", "status"), "Unknown until it is finished."),
            Column.of("Age", "date", ".metadata.creationTimestamp", "Since when the MapReduceJob exists."),
            Column.wide("Reason", "string", condition("Finished", "reason"), "Why it waits, goes on or has ended."),
            Column.wide("Active", "integer", ".status.chunks.active", "Chunks that a worker holds now."),
            Column.wide("Skipped", "integer", ".status.chunks.skipped", "Chunks that failed in all their trials."),
            Column.wide("Next", "string", ".status.schedule.nextScheduleTime", "When the next run is due."),
            Column.wide("Pool", "string", ".spec.workerPoolRef.name", "The WorkerPool that does the work.")));

    static final PrinterColumns TASK = new PrinterColumns(List.of(
            Column.of("State", "string", ".status.state", "State of the root."),
            Column.of("Progress", "string", ".status.progress", "Done units of progress and all of them."),
            Column.of("%", "integer", ".status.percent", "Done units of progress in percent of all."),
            Column.of("Succeeded", "string", condition("Succeeded", "status"), "Unknown until it is finished."),
            Column.of("Age", "date", ".metadata.creationTimestamp", "Since when the Task exists."),
            Column.wide("Reason", "string", condition("Finished", "reason"), "Why it waits, goes on or has ended."),
            Column.wide("Failed", "integer", ".status.nodes.failed", "Nodes that have ended with an error."),
            // A column of type date would show a time to come as <invalid>.
            Column.wide("Next", "string", ".status.schedule.nextScheduleTime", "When the next run is due."),
            Column.wide("Pool", "string", ".spec.workerPoolRef.name", "The WorkerPool that does the work.")));

    /** Puts the columns in place of whatever the generator found. */
    void addTo(ObjectNode version) {
        var list = version.putArray("additionalPrinterColumns");
        for (var column : columns) {
            list.addObject()
                    .put("name", column.name)
                    .put("type", column.type)
                    .put("jsonPath", column.path)
                    .put("priority", column.priority)
                    .put("description", column.description);
        }
    }

    private static String condition(String type, String field) {
        return ".status.conditions[?(@.type==\"" + type + "\")]." + field;
    }

    /** Priority 0 is always shown, 1 with {@code -o wide}. */
    record Column(String name, String type, String path, int priority, String description) {
        static Column of(String name, String type, String path, String description) {
            return new Column(name, type, path, 0, description);
        }

        static Column wide(String name, String type, String path, String description) {
            return new Column(name, type, path, 1, description);
        }
    }
}
