package dev.quiver.lifecycle.task.work;

import java.util.ArrayList;
import java.util.List;

/**
 * The move of the ordinals in a document that is not only of the node that executes it. A node that forEach copied has
 * the document of its template; the children of an iterator were numbered before they had a place. No I/O.
 *
 * @param base the ordinal from which those of the document count; 0: from the root
 * @param blocks the templates of which the node is a copy, or stands in one
 */
public record Relocation(long base, List<Block> blocks) {

    /** A document of this node alone. */
    static final Relocation NONE = new Relocation(0, List.of());

    /**
     * A template, and one copy of it.
     *
     * @param first ordinal of the template
     * @param count nodes of it
     * @param by how much further on the copy stands
     */
    record Block(long first, long count, long by) {

        private boolean has(long ordinal) {
            return ordinal >= first && ordinal - first < count;
        }
    }

    /** Copies the list. */
    public Relocation {
        blocks = List.copyOf(blocks);
    }

    /** As a claim brings it: the base, then three numbers of each block; empty for none. */
    public static Relocation parse(String text) {
        if (text.isEmpty()) {
            return NONE;
        }
        String[] numbers = text.split(" ", -1);
        List<Block> blocks = new ArrayList<>();
        for (int i = 1; i + 2 < numbers.length; i += 3) {
            blocks.add(new Block(
                    Long.parseLong(numbers[i]), Long.parseLong(numbers[i + 1]), Long.parseLong(numbers[i + 2])));
        }
        return new Relocation(Long.parseLong(numbers[0]), blocks);
    }

    /** The ordinal of the node that this one of the document means. */
    long of(long ordinal) {
        long at = base + ordinal;
        return blocks.stream()
                .filter(block -> block.has(at))
                .findFirst()
                .map(block -> at + block.by())
                .orElse(at);
    }
}
