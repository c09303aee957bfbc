package dev.quiver.lifecycle.task.model;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;

/**
 * A directory that the workers of a node with chunks share, for results that are too large for Redis. The results of a
 * tree lie in a directory of their own, {@code <path>/<tree>}: a trial writes
 * {@code <ordinal>-<session>-<call>.arrow}. The fence in the name keeps a late writer apart. Redis has the file's path
 * as the result.
 *
 * @param path absolute, without a slash at its end
 */
public record Scratch(String path) {

    /** Characters of a path at most: with the name of a file it is still a locator. */
    public static final int MOST_CHARS = 512;

    /** A variable: the file for the result of a trial; for the program that removes all of them, their directory. */
    public static final String VARIABLE = "QUIVER_SCRATCH";

    /** The worker's own program, in every image. */
    private static final List<String> REMOVE = List.of("quiver-agent", "remove-scratch");

    private static final int TRIALS = 3;

    /** A volume may be slow, and hang. */
    private static final Duration PATIENCE = Duration.ofHours(1);

    private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+");

    /** Checks the path. */
    public Scratch {
        if (path.length() > MOST_CHARS || !PATH.matcher(path).matches()) {
            throw new IllegalArgumentException("scratch.path is \"" + path
                    + "\", an absolute path of letters, digits, '.'," + " '_' and '-' is needed, of at most "
                    + MOST_CHARS + " characters and without a slash at its end");
        }
    }

    /** The directory of a tree's files. */
    public String directory(String tree) {
        return path + "/" + tree;
    }

    /** The file of a trial, by its fence. */
    public String file(String tree, long ordinal, String fence) {
        return directory(tree) + "/" + ordinal + "-" + fence + ".arrow";
    }

    /** Whether a locator is a file of this tree. */
    public boolean has(String tree, String locator) {
        String directory = directory(tree) + "/";
        return locator.startsWith(directory) && locator.indexOf('/', directory.length()) < 0;
    }

    /**
     * The task that removes all files of its tree, for its end. Run twice it does no harm.
     *
     * @param name for people
     * @param pool whose workers have the directory
     */
    public TreeNode removal(String name, String pool) {
        return leaf(pool, body(name, Map.of()).removing(this));
    }

    /** The same for another tree than its own. */
    public TreeNode removal(String name, String pool, String tree) {
        return leaf(pool, body(name, Map.of(VARIABLE, directory(tree))));
    }

    private static TreeNode leaf(String pool, TaskBody body) {
        return new TreeNode.Leaf(pool, Optional.empty(), TRIALS, 1, body);
    }

    private static TaskBody body(String name, Map<String, String> variables) {
        return new TaskBody(
                name,
                Optional.of(new Execution.Command(REMOVE, List.of(), Optional.empty())),
                List.of(),
                variables,
                Optional.of(PATIENCE),
                RetryBackoff.NONE);
    }
}
