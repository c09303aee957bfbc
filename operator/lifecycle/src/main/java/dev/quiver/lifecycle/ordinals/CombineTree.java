package dev.quiver.lifecycle.ordinals;

/**
 * The numbers of a source's tasks and of the combines behind them. The tasks 0 … {@code count - 1} are level 0. Each combine
 * takes {@code fanIn} neighbours of the level below, in order, the last one of a level maybe fewer. The levels end with the
 * first that has one number. {@code include/ordinals/kept.lua} computes the same. Immutable.
 *
 * @param count tasks of the source, 0 or more
 * @param fanIn results of one combine, at least 2; 0 where nothing combines
 */
public record CombineTree(long count, int fanIn) {

    /** Checks the bounds. */
    public CombineTree {
        if (count < 0 || fanIn < 0 || fanIn == 1) {
            throw new IllegalArgumentException("no combines of " + fanIn + " of " + count);
        }
    }

    /** A row of numbers {@code first … first + size - 1}. */
    public record Range(long first, long size) {}

    /** Whether this number is that of a combine. */
    public boolean isCombine(long id) {
        return id >= count;
    }

    /** All combines. */
    public long combines() {
        return last().first() + last().size() - count;
    }

    /** The level with one number, or with all tasks where nothing combines; empty without tasks. */
    public Range last() {
        Range level = new Range(0, count);
        while (fanIn > 0 && level.size() > 1) {
            level = above(level);
        }
        return level;
    }

    /**
     * The children that a combine takes.
     *
     * @throws IllegalArgumentException for a number that is no combine's
     */
    public Range children(long combine) {
        Range below = new Range(0, count);
        while (fanIn > 0 && below.size() > 1) {
            Range level = above(below);
            if (combine >= level.first() && combine < level.first() + level.size()) {
                long from = (combine - level.first()) * fanIn;
                return new Range(below.first() + from, Math.min(fanIn, below.size() - from));
            }
            below = level;
        }
        throw new IllegalArgumentException(combine + " is no combine of " + this);
    }

    private Range above(Range level) {
        return new Range(level.first() + level.size(), Math.ceilDiv(level.size(), fanIn));
    }
}
