package dev.quiver.history.query;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.quiver.history.query.RunParts.FailureGroup;
import dev.quiver.history.store.Rows;

/**
 * Tasks that ended without a pass, by reason and first line of the message. One reason such as NonZeroExit has failures
 * of many kinds, and the first line tells them apart. Stateless.
 */
public final class FailureGroups {

    /** Groups of an answer at most. A task writes its messages, so their kinds have no bound of their own. */
    static final int MOST = 1000;

    /** Characters of a message that are looked at. */
    private static final int LINE = 300;

    /** Tasks that a group names. */
    private static final int LISTED = 20;

    private FailureGroups() {}

    private record Kind(String reason, Optional<String> line) {}

    private static final class Tally {
        private final List<Long> first = new ArrayList<>();
        private long tasks;

        void add(long task) {
            tasks++;
            if (first.size() < LISTED) {
                first.add(task);
            }
        }
    }

    /**
     * The largest group first. Once there are {@value #MOST} kinds, a further one counts among those of its reason without
     * a message, if there is such a group.
     */
    public static List<FailureGroup> of(Connection connection, long run) throws SQLException {
        Map<Kind, Tally> groups = new LinkedHashMap<>();
        try (PreparedStatement question = connection.prepareStatement(
                "SELECT t.task, COALESCE(t.reason, '') AS why, (SELECT SUBSTR(x.message, 1, "
                        + LINE + ") FROM trials x WHERE x.run_id = t.run_id AND x.task = t.task"
                        + " AND x.message IS NOT NULL AND COALESCE(x.reason, '') = COALESCE(t.reason, '')"
                        + " ORDER BY x.trial DESC, x.copy DESC LIMIT 1) AS message"
                        + " FROM tasks t WHERE t.run_id = ? AND t.status <> 0 AND t.over = 1 ORDER BY t.task")) {
            Rows.bind(question, run);
            question.setFetchSize(MOST);
            try (ResultSet rows = question.executeQuery()) {
                while (rows.next()) {
                    add(
                            groups,
                            new Kind(
                                    rows.getString("why"),
                                    Rows.text(rows, "message").flatMap(FailureGroups::firstLine)),
                            rows.getLong("task"));
                }
            }
        }
        List<FailureGroup> found = new ArrayList<>();
        groups.forEach((kind, tally) ->
                found.add(new FailureGroup(kind.reason, tally.tasks, tally.first.getFirst(), kind.line, tally.first)));
        found.sort(Comparator.comparingLong(FailureGroup::tasks).reversed().thenComparingLong(FailureGroup::firstTask));
        return found;
    }

    private static void add(Map<Kind, Tally> groups, Kind kind, long task) {
        Kind its = groups.size() < MOST || groups.containsKey(kind) ? kind : new Kind(kind.reason, Optional.empty());
        if (groups.size() < 2 * MOST || groups.containsKey(its)) {
            groups.computeIfAbsent(its, each -> new Tally()).add(task);
        }
    }

    private static Optional<String> firstLine(String message) {
        return message.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .findFirst();
    }
}
