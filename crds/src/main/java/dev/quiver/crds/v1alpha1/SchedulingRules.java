package dev.quiver.crds.v1alpha1;

/** Bounds and words that the fields which order Tasks have in common. */
final class SchedulingRules {

    /** Tags of a Task at most. */
    static final int MOST_TAGS = 8;

    /** Characters of a tag, a resource or a key of fairness at most. */
    static final int NAME_LENGTH = 128;

    /** The form of a tag, a resource or a key of fairness. */
    static final String NAME = "^[!-~]+$";

    static final int LEAST_PRIORITY = -99_999;
    static final int MOST_PRIORITY = 99_999;

    static final String PRIORITY_TEXT =
            "Its priority among what waits in the pool, before the boosts of its tags: -99999 to 99999. Higher ones go"
                    + " first, equals in the order of their arrival; what runs goes on.";
    static final String TAGS_TEXT =
            "Names that the pool's priorityBoosts, or programs, may boost: at most 8, each 1 to 128 printable characters"
                    + " without blanks.";
    static final String FAIRNESS_TEXT =
            "The key whose turns it shares where the pool has fairness: 1 to 128 printable characters without blanks.";
    static final String INHERITED_TEXT = " Left out, that of the node above, or of the Task.";
    static final String OF_ALL_TEXT = " It is that of each node that says none itself. Not with wire: Idoit.";
    static final String MOVES_TEXT =
            " A change moves what waits at once, and what runs goes on; with schedule the next run takes it.";
    static final String FIXED_TEXT = " Cannot be changed, but with schedule.";

    /** Resources of a Task at most. */
    static final int MOST_RESOURCES = 8;

    static final String RESOURCES_TEXT =
            "Resources without which it is not given out, the most severe first: at most 8, each 1 to 128 printable"
                    + " characters without blanks. The pool's spec.resources declares them, or their patterns; one that it"
                    + " does not declare is missing.";

    static final String SOURCE_RESOURCES_TEXT =
            "Resources without which no task of it is given out, the most severe first: at most 8, each 1 to 128 printable"
                    + " characters without blanks. The pool's spec.resources declares them, or their patterns; one that it"
                    + " does not declare is missing. A change counts at once; with schedule the next run takes it.";

    static final String BLOCKED_ON_TEXT = "Resources for which its tasks wait, the most severe first: at most 8.";
    static final String BLOCKED_SINCE_TEXT = "Since when it has been seen to wait for a resource: RFC 3339, UTC.";

    static final String SOURCE_PRIORITY_TEXT =
            "Its priority among what has work in its pool, before the boosts of its tags: -99999 to 99999. Higher ones get"
                    + " the next free slot, equals take turns. A change counts at once; with schedule the next run takes"
                    + " it.";
    static final String SOURCE_TAGS_TEXT = TAGS_TEXT + " A change counts at once; with schedule the next run takes it.";

    private SchedulingRules() {}
}
