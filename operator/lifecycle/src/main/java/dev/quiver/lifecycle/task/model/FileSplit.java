package dev.quiver.lifecycle.task.model;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.databind.node.TextNode;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;

/**
 * How the workers' own program cuts files into chunks. Each chunk is an object that names its part: {@code {"path", "offset",
 * "length"}}, of files {@code {"paths"}}, of row groups {@code {"path", "rowGroups"}}.
 *
 * @param unit {@code lines}, {@code bytes}, {@code files} or {@code rowGroups}
 * @param size units of a chunk, 1 or more
 * @param path absolute, of a file or a folder; wildcards as a shell has them
 */
public record FileSplit(String unit, long size, String path) {

    private static final List<String> UNITS = List.of("lines", "bytes", "files", "rowGroups");

    /** Checks the fields. */
    public FileSplit {
        if (!UNITS.contains(unit)) {
            throw new IllegalArgumentException("split.by is \"" + unit + "\", one of " + UNITS + " is needed");
        }
        NumberBounds.check("split.size", size, 1, Long.MAX_VALUE);
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("split.path is \"" + path + "\", an absolute path is needed");
        }
    }

    /**
     * The task that makes the chunks of the node behind it in its chain.
     *
     * @param name for people
     * @param pool whose workers have the files
     * @param most chunks at most
     */
    public TreeNode task(String name, String pool, int most) {
        TaskBody body = new TaskBody(
                name,
                Optional.of(new Execution.Command(List.of("quiver-agent", "split"), List.of(), Optional.empty())),
                List.of(new TextNode(unit), new TextNode(Long.toString(size)), new TextNode(path)),
                Map.of(),
                Optional.empty(),
                new RetryBackoff(Duration.ofSeconds(10), 2, Duration.ofMinutes(5), 0));
        return new TreeNode.Leaf(pool, Optional.empty(), 3, 1, body.bringing(most));
    }
}
