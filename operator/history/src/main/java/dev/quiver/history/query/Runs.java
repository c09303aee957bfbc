package dev.quiver.history.query;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.quiver.history.store.Rows;

/** Finds runs of a namespace. Stateless. */
public final class Runs {

    private static final String SELECT = "SELECT " + Run.COLUMNS + Run.FROM;
    private static final String NEWEST = " ORDER BY runs.created_at DESC, runs.id DESC";
    private static final String SHOWN = " WHERE runs.namespace = ? AND runs.removed = 0";
    private static final String LIVING = "COALESCE(runs.namespace_uid, '') = ?";

    private Runs() {}

    /**
     * The runs that a reader of a list may see.
     *
     * @param kinds of the living namespace's runs, at least one; absent for all
     * @param living uid of the namespace that has the name now; absent where there is none
     * @param ofEarlier kinds that are shown of earlier namespaces of the name, too
     */
    public record Shown(Optional<List<String>> kinds, Optional<String> living, List<String> ofEarlier) {

        /** The condition and its values. */
        private String condition(List<Object> values) {
            List<String> any = new ArrayList<>();
            living.ifPresent(uid -> {
                values.add(uid);
                any.add(LIVING
                        + kinds.map(some -> " AND " + among(some, values)).orElse(""));
            });
            if (!ofEarlier.isEmpty()) {
                any.add(among(ofEarlier, values));
            }
            return any.isEmpty() ? "1 = 0" : "(" + String.join(" OR ", any) + ")";
        }

        private static String among(List<String> kinds, List<Object> values) {
            values.addAll(kinds);
            return "runs.kind IN (" + Rows.marks(kinds.size()) + ")";
        }
    }

    /**
     * The filter of a list of runs.
     *
     * @param live whether runs that are over are left out
     */
    public record Filter(
            Shown shown,
            Optional<String> kind,
            Optional<String> runClass,
            Optional<String> status,
            Optional<String> name,
            boolean live) {}

    /** The newest first, by the creation of their resources. */
    public static Page<Run> list(
            Connection connection, String namespace, Filter filter, int limit, Optional<String> token)
            throws SQLException {
        StringBuilder sql = new StringBuilder(SELECT + SHOWN);
        List<Object> values = new ArrayList<>(List.of(namespace));
        sql.append(" AND ").append(filter.shown().condition(values));
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
        sql.append(NEWEST).append(" LIMIT ").append(limit + 1);
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

    /**
     * The runs of that uid, then the latest of that name of each kind, the latest first: a name is its latest run. Runs of
     * earlier namespaces are among them, and hide none of the living one.
     *
     * @param living uid of the namespace that has the name now; absent where there is none
     */
    public static List<Run> find(Connection connection, String namespace, Optional<String> living, String nameOrUid)
            throws SQLException {
        List<Run> found = new ArrayList<>(
                Rows.all(connection, SELECT + SHOWN + " AND runs.uid = ?" + NEWEST, Run::of, namespace, nameOrUid));
        List<String> kinds = Rows.all(
                connection,
                "SELECT DISTINCT runs.kind FROM runs" + SHOWN + " AND runs.name = ?",
                row -> row.getString(1),
                namespace,
                nameOrUid);
        Map<Long, Run> latest = new HashMap<>();
        String named = SELECT + SHOWN + " AND runs.name = ? AND runs.kind = ?";
        String one = NEWEST + " LIMIT 1";
        for (String kind : kinds) {
            Rows.first(connection, named + one, Run::of, namespace, nameOrUid, kind)
                    .ifPresent(run -> latest.put(run.id(), run));
            if (living.isPresent()) {
                Rows.first(
                                connection,
                                named + " AND " + LIVING + one,
                                Run::of,
                                namespace,
                                nameOrUid,
                                kind,
                                living.get())
                        .ifPresent(run -> latest.put(run.id(), run));
            }
        }
        List<Run> ordered = new ArrayList<>(latest.values());
        ordered.sort(Comparator.comparingLong(Run::createdAt)
                .thenComparingLong(Run::id)
                .reversed());
        found.addAll(ordered);
        return found;
    }

    /** Runs that a pool's workers took part in between two instants, the newest first, at most so many. */
    public static List<Run> ofPool(
            Connection connection, String namespace, Shown shown, String pool, long from, long to, int most)
            throws SQLException {
        List<Object> values = new ArrayList<>(List.of(namespace));
        String condition = shown.condition(values);
        values.addAll(List.of(to, from, pool));
        return Rows.all(
                connection,
                SELECT + SHOWN + " AND " + condition + " AND runs.created_at <= ?"
                        + " AND (runs.finished_at IS NULL OR runs.finished_at >= ?) AND EXISTS (SELECT 1 FROM run_workers rw"
                        + " JOIN workers w ON w.id = rw.worker_id WHERE rw.run_id = runs.id AND w.pool = ?)" + NEWEST
                        + " LIMIT " + most,
                Run::of,
                values.toArray());
    }

    /** The first namespaces with a run, by their names: a step of an index for each. */
    public static List<String> namespaces(Connection connection, int most) throws SQLException {
        List<String> found = new ArrayList<>();
        Optional<String> next = Optional.of("");
        while (next.isPresent() && found.size() < most) {
            next = Rows.first(
                    connection,
                    "SELECT namespace FROM runs WHERE namespace > ? ORDER BY namespace LIMIT 1",
                    row -> row.getString(1),
                    next.get());
            next.ifPresent(found::add);
        }
        return found;
    }

    /** The run of that id; absent once it is removed. */
    public static Optional<Run> of(Connection connection, long id) throws SQLException {
        return Rows.first(connection, SELECT + " WHERE runs.id = ? AND runs.removed = 0", Run::of, id);
    }
}
