package dev.quiver.lifecycle.task.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.quiver.lifecycle.execution.Utf8;

/**
 * The place of a task among the waiting ones of its pool. Its priority is {@code relPriority} and the boosts
 * that its tags have at the time; higher ones go first, equals in order of arrival. While one of its resources is missing it
 * is not given out. Immutable.
 *
 * @param relPriority −{@value #MOST_PRIORITY} to {@value #MOST_PRIORITY}
 * @param tags at most {@value #MOST_TAGS}, sorted, each once
 * @param fairnessKey shares the pool's turns with other tasks of this key where the pool is fair; absent: with those
 *     that name none
 * @param resources at most {@value #MOST_RESOURCES}, each once, the most severe first: the first one that is missing is named
 * @param first whether it goes before all Tasks, boosted or not, as plans do; the pool stands where it stood among its sources
 */
public record Rank(
        int relPriority, List<String> tags, Optional<String> fairnessKey, List<String> resources, boolean first) {

    /** Resources of a task at most. */
    public static final int MOST_RESOURCES = 8;

    /** Tags of a task at most. */
    public static final int MOST_TAGS = 8;

    /** The highest priority of a task's own. */
    public static final int MOST_PRIORITY = 99_999;

    /** Characters of a name of a tag, an owner, a resource or a fairness key at most. */
    public static final int NAME_BYTES = 128;

    /** The rank of most tasks. */
    public static final Rank NONE = new Rank(0, List.of(), Optional.empty(), List.of());

    /** Others that wait for a task and so lend it their priority, at most. */
    public static final int MOST_LENDERS = 4;

    /** Bytes of what they lend at most: a record has 4 KiB. */
    public static final int LENT_BYTES = 1600;

    /** The rank of the operator's own questions. */
    public static final Rank FIRST = new Rank(0, List.of(), Optional.empty(), List.of(), true);

    /** A group that is lent the highest priority there is, as the scripts give one to plans. */
    private static final String BEFORE_ALL = "500000000000";

    private static final Pattern NAME = Pattern.compile("[!-~]{1," + NAME_BYTES + "}");

    private static final Pattern HEAD = Pattern.compile("^[^!:]+[!:]");

    private static final String LIST = "\u001e";
    private static final String GROUP = "\u001d";
    private static final String PART = "\u001f";

    /**
     * Checks the bounds.
     *
     * @throws IllegalArgumentException naming the field and the value
     */
    public Rank {
        NumberBounds.check("relPriority", relPriority, -MOST_PRIORITY, MOST_PRIORITY);
        Set<String> each = new LinkedHashSet<>();
        tags.stream().map(tag -> checkName("tags", tag)).sorted().forEach(each::add);
        NumberBounds.check("the number of tags", each.size(), 0, MOST_TAGS);
        fairnessKey.ifPresent(key -> checkName("fairnessKey", key));
        tags = List.copyOf(each);
        resources = resources.stream()
                .map(name -> checkName("resources", name))
                .distinct()
                .toList();
        NumberBounds.check("the number of resources", resources.size(), 0, MOST_RESOURCES);
    }

    /** One that goes by its priority. */
    public Rank(int relPriority, List<String> tags, Optional<String> fairnessKey, List<String> resources) {
        this(relPriority, tags, fairnessKey, resources, false);
    }

    /** Without resources. */
    public Rank(int relPriority, List<String> tags, Optional<String> fairnessKey) {
        this(relPriority, tags, fairnessKey, List.of());
    }

    /**
     * The same name.
     *
     * @throws IllegalArgumentException for one that is empty, too long, or has other characters than printable ones of ASCII
     */
    public static String checkName(String field, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(field + " has \"" + Utf8.firstBytes(name, 80) + "\", 1 to " + NAME_BYTES
                    + " printable characters of ASCII without blanks are allowed");
        }
        return name;
    }

    /** The pattern that a resource belongs to: up to its first {@code !} or {@code :}, then {@code *}. */
    public static Optional<String> patternOf(String resource) {
        Matcher head = HEAD.matcher(resource);
        return head.find()
                ? Optional.of(head.group() + "*").filter(pattern -> !pattern.equals(resource))
                : Optional.empty();
    }

    /** The rank of a node that may leave each of the four to the node above it. */
    public static Rank below(
            Rank above,
            Optional<Integer> relPriority,
            Optional<List<String>> tags,
            Optional<String> fairnessKey,
            Optional<List<String>> resources) {
        return relPriority.isEmpty() && tags.isEmpty() && fairnessKey.isEmpty() && resources.isEmpty()
                ? above
                : new Rank(
                        relPriority.orElse(above.relPriority()),
                        tags.orElse(above.tags()),
                        fairnessKey.or(above::fairnessKey),
                        resources.orElse(above.resources()));
    }

    /** The same with these resources, and no others. */
    public Rank withResources(List<String> others) {
        return new Rank(relPriority, tags, fairnessKey, others, first);
    }

    /** Whether it stands by its arrival alone, and waits for nothing. */
    public boolean isPlain() {
        return standsByArrival() && resources.isEmpty();
    }

    private boolean standsByArrival() {
        return relPriority == 0 && tags.isEmpty() && !first;
    }

    /** Whether a rank as the scripts keep it has resources. */
    public static boolean namesResources(String text) {
        return text.split(PART, -1).length > 3;
    }

    /** The key of fairness, as the scripts keep it. */
    public String share() {
        return fairnessKey.orElse("");
    }

    /**
     * The rank as the scripts keep it; empty for a task that stands by its arrival alone and names no resource.
     *
     * @param lenders ranks of what waits for the task; of too many the highest count
     */
    public String text(Set<Rank> lenders) {
        List<String> lent = new ArrayList<>(first ? List.of(BEFORE_ALL) : List.of());
        String names = String.join(LIST, resources);
        int bytes = Utf8.length(names);
        for (Rank lender : lenders.stream()
                .filter(other ->
                        other.relPriority() != relPriority || !other.tags().equals(tags))
                .filter(standsByArrival() ? Predicate.not(Rank::standsByArrival) : other -> true)
                .sorted(Comparator.comparingInt(Rank::relPriority).reversed())
                .toList()) {
            String group = lender.relPriority()
                    + lender.tags().stream().map(LIST::concat).reduce("", String::concat);
            bytes += Utf8.length(group) + 1;
            if (lent.size() < MOST_LENDERS && bytes <= LENT_BYTES && !lent.contains(group)) {
                lent.add(group);
            }
        }
        return isPlain() && lent.isEmpty()
                ? ""
                : relPriority
                        + PART
                        + String.join(LIST, tags)
                        + PART
                        + String.join(GROUP, lent)
                        + (names.isEmpty() ? "" : PART + names);
    }
}
