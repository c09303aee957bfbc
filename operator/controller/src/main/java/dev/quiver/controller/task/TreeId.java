package dev.quiver.controller.task;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskStatus;

/**
 * The id of a Task's tree in Redis: the resource's uid, and after each loss of the state another one. Ids of trees that
 * have no resource look otherwise. Pure.
 */
final class TreeId {

    /** The form of an id in Redis' words. */
    static final String FORM = "????????-????-????-????-????????????*";

    private static final Pattern OF_RESOURCE =
            Pattern.compile("([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(-[0-9a-z]+)?");

    private TreeId() {}

    /** The tree of a Task with that status. */
    static String of(Task task, TaskStatus status) {
        return of(task, resubmissions(status));
    }

    /** The tree after so many losses. */
    static String of(Task task, int resubmissions) {
        String uid = task.getMetadata().getUid();
        return resubmissions == 0 ? uid : uid + "-r" + resubmissions;
    }

    static int resubmissions(TaskStatus status) {
        return status.resubmissions() == null ? 0 : status.resubmissions();
    }

    /** The uid of the resource that a tree belongs to; absent for a tree without one. */
    static Optional<String> owner(String tree) {
        return Optional.of(OF_RESOURCE.matcher(tree)).filter(Matcher::matches).map(matcher -> matcher.group(1));
    }

    /** The place of a node in its tree, from 0 for the root. */
    static long ordinal(String node) {
        int dot = node.indexOf('.');
        return dot < 0 ? 0 : Long.parseLong(node.substring(dot + 1));
    }
}
