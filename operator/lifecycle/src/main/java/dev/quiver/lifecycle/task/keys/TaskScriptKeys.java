package dev.quiver.lifecycle.task.keys;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.worker.SessionKeys;

/**
 * The keys of the scripts about Tasks by the names that the scripts give them.
 *
 * @param tree or schedule; empty where no script of the caller names one
 * @param producer likewise
 */
public record TaskScriptKeys(SessionKeys worker, String tree, String producer) {

    /** Without a producer. */
    public TaskScriptKeys(SessionKeys worker, String tree) {
        this(worker, tree, "");
    }

    /** The keys of a keyspace and a producer. */
    public static TaskScriptKeys ofProducer(Keyspace keyspace, String producer) {
        return new TaskScriptKeys(SessionKeys.ofPool(keyspace, ""), "", producer);
    }

    /** The keys of a keyspace and a tree, without a session. */
    public static TaskScriptKeys of(Keyspace keyspace, String tree) {
        return new TaskScriptKeys(SessionKeys.ofPool(keyspace, ""), tree);
    }

    private TaskKeys tasks() {
        return new TaskKeys(worker.keyspace());
    }

    /** A key by its name in the header of a script. */
    public String key(String name) {
        TaskKeys tasks = tasks();
        return switch (name) {
            case "nodes" -> tasks.nodes();
            case "body" -> tasks.body();
            case "results" -> tasks.results();
            case "roots" -> tasks.roots();
            case "names" -> tasks.names();
            case "events" -> tasks.events();
            case "commands" -> tasks.commands();
            case "children" -> tasks.children();
            case "feeding" -> tasks.feeding();
            case "parked" -> tasks.parked();
            case "records" -> worker.keyspace().records();
            case "task_reports" -> tasks.reports();
            case "schedules" -> tasks.schedules();
            case "schedule" -> tasks.schedule(SessionKeys.given(tree, name));
            case "template" -> tasks.template(SessionKeys.given(tree, name));
            case "runs" -> tasks.runs(SessionKeys.given(tree, name));
            case "tombstone" -> tasks.tombstone(SessionKeys.given(tree, name));
            case "producer" -> tasks.producer(SessionKeys.given(producer, name));
            case "source_sessions" -> tasks.sessions(SessionKeys.given(worker.pool(), name));
            case "held" -> held(name, worker.session());
            case "earlier_held" -> held(name, worker.earlier());
            default -> worker.key(name);
        };
    }

    private String held(String name, String session) {
        return tasks().held(SessionKeys.given(worker.pool(), name), SessionKeys.given(session, name));
    }
}
