package dev.quiver.controller.tree;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.quiver.crds.v1alpha1.TreeStatus;

/**
 * The id of a run's tree in Redis: the resource's uid, and after each loss of the state another one. Ids of trees that
 * have no resource look otherwise. Pure.
 */
public final class TreeId {

    /** The form of an id in Redis' words. */
    static final String FORM = "????????-????-????-????-????????????*";

    private static final Pattern OF_RESOURCE =
            Pattern.compile("([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(-[0-9a-z]+)?");

    /** The source of the chunks of a node begins with this. */
    private static final String CHUNKS = "chunks:";

    private static final Pattern ORDINAL = Pattern.compile("\\.([0-9]{1,18})$");

    private TreeId() {}

    /** The tree of a run with that status. */
    public static String of(HasMetadata run, TreeStatus status) {
        return of(run, resubmissions(status));
    }

    /** The tree after so many losses. */
    public static String of(HasMetadata run, int resubmissions) {
        String uid = run.getMetadata().getUid();
        return resubmissions == 0 ? uid : uid + "-r" + resubmissions;
    }

    /** How often the state was lost. */
    public static int resubmissions(TreeStatus status) {
        return status.resubmissions() == null ? 0 : status.resubmissions();
    }

    /** The uid of the resource that a tree, or the chunks of a node of it, belong to; absent for a tree without one. */
    public static Optional<String> owner(String tree) {
        String of = isOfChunks(tree) ? tree.substring(CHUNKS.length()).replaceFirst("\\..*", "") : tree;
        return Optional.of(OF_RESOURCE.matcher(of)).filter(Matcher::matches).map(matcher -> matcher.group(1));
    }

    /** Whether a mark of change is that of the chunks of a node: the tree itself goes on. */
    public static boolean isOfChunks(String mark) {
        return mark.startsWith(CHUNKS);
    }

    /** The place of a node in its tree, from 0 for the root; of an id that other programs gave 0. */
    public static long ordinal(String node) {
        return Optional.of(ORDINAL.matcher(node))
                .filter(Matcher::find)
                .map(matcher -> Long.parseLong(matcher.group(1)))
                .orElse(0L);
    }

    /** Whether a node is the root of a run's tree. */
    public static boolean isRoot(String node) {
        return owner(node).isPresent();
    }
}
