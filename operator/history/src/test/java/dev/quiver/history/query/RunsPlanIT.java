package dev.quiver.history.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;

/** How SQLite finds the run of a request: by all that the request names, however many runs its namespace has. */
class RunsPlanIT {

    @TempDir
    private Path folder;

    @Test
    void aRunIsFoundByAnIndexOverAllThatIsAskedFor() throws Exception {
        try (SqliteDatabase database = SqliteDatabase.open(SqliteSettings.of(folder.resolve("record.db")))) {
            List<String> plans = database.ask(connection -> {
                List<String> statements = new ArrayList<>();
                Runs.find(noting(connection, statements), "team-a", Optional.of("u"), "run");
                return plans(connection, statements);
            });
            assertThat(plans)
                    .hasSizeGreaterThanOrEqualTo(2)
                    .anyMatch(plan -> plan.contains("(namespace=? AND uid=?)"))
                    .allMatch(plan -> plan.contains("=? AND "));
        }
    }

    /** Its first row of each statement: how SQLite gets at the runs. */
    private static List<String> plans(Connection connection, List<String> statements) throws SQLException {
        List<String> plans = new ArrayList<>();
        for (String sql : statements) {
            try (PreparedStatement explained = connection.prepareStatement("EXPLAIN QUERY PLAN " + sql);
                    ResultSet rows = explained.executeQuery()) {
                assertThat(rows.next()).isTrue();
                plans.add(rows.getString("detail"));
            }
        }
        return plans;
    }

    private static Connection noting(Connection connection, List<String> statements) {
        return (Connection) Proxy.newProxyInstance(
                RunsPlanIT.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, values) -> {
                    if (method.getName().equals("prepareStatement")) {
                        statements.add((String) values[0]);
                    }
                    try {
                        return method.invoke(connection, values);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
