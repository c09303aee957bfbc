package dev.quiver.history.access;

import java.util.Optional;

import dev.quiver.lifecycle.history.RunKind;

/**
 * A right to runs that a caller asks for: a verb on the resource of their kind.
 *
 * @param verb what is done
 * @param kind of the runs; absent for a kind that only a newer program knows
 * @param log whether it is about what tasks printed and returned: the subresource {@code log}
 * @param namespace of the runs; empty for all namespaces
 * @param name of the resource, or empty for all of them
 */
public record Right(Verb verb, Optional<RunKind> kind, boolean log, String namespace, String name) {

    /** Verbs of Kubernetes. */
    public enum Verb {
        /** One run. */
        GET,
        /** Lists of runs. */
        LIST,
        /** Removal of a record. */
        DELETE;

        /** As RBAC spells it. */
        public String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** Runs of a kind, by the word of the record. */
    public static Right of(Verb verb, String kind, String namespace, String name) {
        Optional<RunKind> known = java.util.Arrays.stream(RunKind.values())
                .filter(each -> each.word().equals(kind))
                .findFirst();
        // The trees of a queue have no resource of their own: they are Tasks, and none of them has a name.
        return new Right(verb, known, false, namespace, known.equals(Optional.of(RunKind.QUEUE)) ? "" : name);
    }

    /** The same about output. */
    public Right ofLog() {
        return new Right(verb, kind, true, namespace, name);
    }

    /** The same in all namespaces: a verb of the cluster. */
    public Right everywhere() {
        return new Right(verb, kind, log, "", name);
    }

    /** The plural of the kind's resource, as RBAC names it. */
    Optional<String> resource() {
        return kind.map(known -> switch (known) {
            case TASK_SET -> "tasksets";
            case TASK, QUEUE -> "qtasks";
            case MAP_REDUCE_JOB -> "mapreducejobs";
        });
    }
}
