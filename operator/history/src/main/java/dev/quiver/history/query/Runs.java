package dev.quiver.history.query;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.quiver.history.store.Rows;

/** Finds runs of a namespace. Stateless. */
public final class Runs {

    private static final String SHOWN = " WHERE runs.namespace = ? AND runs.removed = 0";

    private Runs() {}

    /**
     * What a list of runs is narrowed to.
     *
     * @param live whether runs that are over are left out
     */
    public record Filter(
            Optional<String> kind,
            Optional<String> runClass,
            Optional<String> status,
            Optional<String> name,
            boolean live) {}

    /** The newest first, by the creation of their resources. */
    public static Page<Run> list(
            Connection connection, String namespace, Filter filter, int limit, Optional<String> token)
            throws SQLException {
        StringBuilder sql = new StringBuilder("SELECT " + Run.COLUMNS + Run.FROM + SHOWN);
        List<Object> values = new ArrayList<>(List.of(namespace));
        and(sql, values, "runs.kind = ?", filter.kind());
        and(sql, values, "classes.name = ?", filter.runClass());
        and(sql, values, "runs.status = ?", filter.status());
        and(sql, values, "runs.name = ?", filter.name());
        if (filter.live()) {
            sql.append(" AND runs.finished_at IS NULL");
        }
        PageToken.read(token, 2).ifPresent(key -> {
            sql.append(" AND (runs.created_at, runs.id) < (?, ?)");
            values.add(key[0]);
            values.add(key[1]);
        });
        sql.append(" ORDER BY runs.created_at DESC, runs.id DESC LIMIT ").append(limit + 1);
        List<Run> found = Rows.all(connection, sql.toString(), Run::of, values.toArray());
        if (found.size() <= limit) {
            return new Page<>(found, Optional.empty());
        }
        Run last = found.get(limit - 1);
        return new Page<>(found.subList(0, limit), Optional.of(PageToken.of(last.createdAt(), last.id())));
    }

    private static void and(StringBuilder sql, List<Object> values, String condition, Optional<String> value) {
        value.ifPresent(given -> {
            sql.append(" AND ").append(condition);
            values.add(given);
        });
    }

    /** The run of that uid, or the latest of that name. */
    public static Optional<Run> find(Connection connection, String namespace, String nameOrUid) throws SQLException {
        Optional<Run> byUid = first(connection, "runs.uid = ?", namespace, nameOrUid);
        return byUid.isPresent() ? byUid : first(connection, "runs.name = ?", namespace, nameOrUid);
    }

    private static Optional<Run> first(Connection connection, String condition, String namespace, String value)
            throws SQLException {
        return Rows.first(
                connection,
                "SELECT " + Run.COLUMNS + Run.FROM + SHOWN + " AND " + condition
                        + " ORDER BY runs.created_at DESC, runs.id DESC LIMIT 1",
                Run::of,
                namespace,
                value);
    }
}
