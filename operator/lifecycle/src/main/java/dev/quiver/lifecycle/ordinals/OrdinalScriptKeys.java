package dev.quiver.lifecycle.ordinals;

import dev.quiver.lifecycle.worker.SessionKeys;

/**
 * The keys of a source's scripts by the names that the scripts give them.
 *
 * @param worker keys of the session and of the pool
 * @param source keys of the source itself
 */
public record OrdinalScriptKeys(SessionKeys worker, OrdinalKeys source) {

    /** The key of this name. */
    public String key(String name) {
        return switch (name) {
            case "source" -> source.hash();
            case "task_queue" -> source.taskQueue();
            case "payload" -> source.payload();
            case "trouble" -> source.trouble();
            case "source_delayed" -> source.delayed();
            case "failures" -> source.failures();
            case "source_sessions" -> source.sessions();
            case "held" -> source.held(SessionKeys.given(worker.session(), name));
            case "earlier_held" -> source.held(SessionKeys.given(worker.earlier(), name));
            case "reports" -> source.reports();
            case "commands" -> source.commands();
            case "results" -> source.results();
            case "combines" -> source.combines();
            case "skipped" -> source.skipped();
            case "order" -> source.order();
            case "unpassed" -> source.unpassed();
            default -> worker.key(name);
        };
    }
}
