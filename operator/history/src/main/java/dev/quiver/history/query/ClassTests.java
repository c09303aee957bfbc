package dev.quiver.history.query;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.quiver.history.store.ClassScope;
import dev.quiver.history.store.Rows;
import dev.quiver.lifecycle.history.TestNames;

/** The memory of a class about its tests, and a test's last runs. Stateless. */
public final class ClassTests {

    /** Runs that are remembered. */
    public static final int RUNS = 64;

    private static final double MICRO = 1e6;
    private static final Pattern NUMBERED = Pattern.compile("(.+)#(\\d{1,7})", Pattern.DOTALL);

    private ClassTests() {}

    /**
     * A test.
     *
     * @param name its name; with {@code #2} behind it where it is the second of that name
     * @param usualMillis how long a pass usually takes; absent where it never passed
     * @param ran in how many of the class' last 64 runs it has an outcome
     * @param hurt in how many of them it passed after a trial that did not
     * @param failed in how many of them it failed
     * @param failing in how many of the latest ones without a break it failed
     */
    public record Test(String name, Optional<Long> usualMillis, int ran, int hurt, int failed, int failing) {}

    /** Which tests come first. */
    public enum Order {
        /** Those that take longest. */
        SLOWEST(null, null),
        /** Those that were hurt most often. */
        FLAKY("hurt", Comparator.comparingInt(Test::hurt)),
        /** Those that failed when they last ran: most failures in a row first, then most failures. */
        FAILING("failed", Comparator.comparingInt(Test::failing).thenComparingInt(Test::failed));

        private final String bits;
        private final Comparator<Test> least;

        Order(String bits, Comparator<Test> least) {
            this.bits = bits;
            this.least = least;
        }

        /** By the word of the API. */
        public static Order of(String word) {
            for (Order order : values()) {
                if (order.name().toLowerCase(Locale.ROOT).equals(word)) {
                    return order;
                }
            }
            throw new BadQueryException("order is one of slowest, flaky, failing");
        }

        /** Whether a test belongs to it: one that has failed and passes again is mended. */
        private boolean has(Test test) {
            return this == FAILING ? test.failing() > 0 : test.hurt() > 0;
        }
    }

    /** A test in one run. */
    public record TestRun(Run run, TaskState task) {}

    /** The kinds of the class' runs; none where there is no such class. */
    public static List<String> kinds(Connection connection, ClassScope scope, String name) throws SQLException {
        return Rows.all(
                connection,
                "SELECT DISTINCT runs.kind FROM runs JOIN classes ON classes.id = runs.class_id"
                        + " WHERE classes.namespace = ? AND classes.name = ? AND runs.removed = 0",
                row -> row.getString(1),
                scope.stored(),
                name);
    }

    /** The first tests of an order. */
    public static List<Test> list(Connection connection, ClassScope scope, String name, Order order, int limit)
            throws SQLException {
        String sql = "SELECT tests.name, tests.log_mean, tests.n, tests.ran, tests.hurt, tests.failed,"
                + " classes.runs - tests.last_run AS age FROM tests JOIN classes ON classes.id = tests.class_id"
                + " WHERE classes.namespace = ? AND classes.name = ?";
        if (order == Order.SLOWEST) {
            return Rows.all(
                    connection,
                    sql + " ORDER BY tests.log_mean DESC, tests.name LIMIT " + limit,
                    ClassTests::test,
                    scope.stored(),
                    name);
        }
        Comparator<Test> most = order.least.reversed().thenComparing(Test::name);
        PriorityQueue<Test> kept = new PriorityQueue<>(most.reversed());
        Rows.all(
                connection,
                sql + " AND tests." + order.bits + " <> 0",
                row -> {
                    Test test = test(row);
                    if (order.has(test)) {
                        kept.add(test);
                    }
                    if (kept.size() > limit) {
                        kept.poll();
                    }
                    return null;
                },
                scope.stored(),
                name);
        return kept.stream().sorted(most).toList();
    }

    private static Test test(java.sql.ResultSet row) throws SQLException {
        long age = row.getLong("age");
        long ran = aged(row.getLong("ran"), age);
        long failed = aged(row.getLong("failed"), age);
        return new Test(
                row.getString("name"),
                row.getLong("n") == 0
                        ? Optional.empty()
                        : Optional.of(Math.round(Math.exp(row.getDouble("log_mean") / MICRO))),
                Long.bitCount(ran),
                Long.bitCount(aged(row.getLong("hurt"), age)),
                Long.bitCount(failed),
                // Up to the latest run that it did not fail.
                Long.bitCount(failed & (Long.lowestOneBit(ran & ~failed) - 1)));
    }

    private static long aged(long bits, long age) {
        return age >= Long.SIZE ? 0 : bits << age;
    }

    /**
     * A test in those of its class' latest runs that have it, the newest first.
     *
     * @param runs of the class, the newest first
     */
    public static List<TestRun> runs(Connection connection, List<Run> runs, String test) throws SQLException {
        Map<String, Optional<Long>> places = new HashMap<>();
        List<TestRun> found = new ArrayList<>();
        for (Run run : runs) {
            if (run.sourceHash().isEmpty()) {
                continue;
            }
            String source = run.sourceHash().get();
            if (!places.containsKey(source)) {
                places.put(source, place(connection, run, test));
            }
            if (places.get(source).isPresent()) {
                Tasks.one(connection, run.id(), places.get(source).get())
                        .ifPresent(task -> found.add(new TestRun(run, task)));
            }
        }
        return found;
    }

    private static Optional<Long> place(Connection connection, Run run, String test) throws SQLException {
        Optional<Long> exact = place(connection, run, test, 1);
        Matcher numbered = NUMBERED.matcher(test);
        return exact.isPresent() || !numbered.matches()
                ? exact
                : place(connection, run, numbered.group(1), Integer.parseInt(numbered.group(2)));
    }

    /** The number of the task that has a name for the so-manieth time. */
    private static Optional<Long> place(Connection connection, Run run, String name, int time) throws SQLException {
        long wanted = TestNames.hash(name);
        List<Long> found = new ArrayList<>();
        Rows.all(
                connection,
                "SELECT first_task, hashes FROM names WHERE namespace = ? AND source_hash = ? ORDER BY first_task",
                row -> {
                    ByteBuffer hashes = ByteBuffer.wrap(row.getBytes(2));
                    for (int i = 0; found.size() < time && hashes.hasRemaining(); i++) {
                        if (hashes.getLong() == wanted) {
                            found.add(row.getLong(1) + i);
                        }
                    }
                    return null;
                },
                run.namespace(),
                run.sourceHash().orElseThrow());
        return found.size() == time ? Optional.of(found.getLast()) : Optional.empty();
    }
}
