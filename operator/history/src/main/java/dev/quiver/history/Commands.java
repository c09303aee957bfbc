package dev.quiver.history;

import java.io.IOException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.quiver.history.store.RecordCopy;
import dev.quiver.history.store.RefusedException;
import dev.quiver.history.store.SqliteBackup;

/**
 * The commands of the program: {@code backup} and {@code copy}. Both read the file of QUIVER_HISTORY_DATABASE, beside a
 * running program as well. The image has no shell and no tar, so a backup can go to standard output.
 */
final class Commands {

    /** The command did its work. */
    static final int DONE = 0;
    /** It did not, for a reason that it has printed, and left nothing. */
    static final int FAILED = 1;
    /** There is no such command. */
    static final int UNKNOWN = 2;

    private static final String USAGE = """
            usage: dev.quiver.history.Main                 the program itself
                   … backup FILE                          a copy of the SQLite file, to a file that is not there yet
                   … backup -                             the same, to standard output
                   … copy --to jdbc:postgresql://HOST/DB  the record of the SQLite file, into an empty PostgreSQL
            QUIVER_HISTORY_DATABASE is the SQLite file.
            QUIVER_HISTORY_TO_USER and QUIVER_HISTORY_TO_PASSWORD are those of the PostgreSQL of copy.""";

    /** Sizes as Kubernetes writes them. */
    private static final Pattern QUANTITY = Pattern.compile("(\\d{1,15}(?:\\.\\d{1,9})?)((?:[KMGTP]i|[kMGTP])?)");

    private final Map<String, String> environment;
    private final PrintStream out;
    private final PrintStream err;

    /** Prints to these. */
    Commands(Map<String, String> environment, PrintStream out, PrintStream err) {
        this.environment = environment;
        this.out = out;
        this.err = err;
    }

    /** Runs a command and returns the code with which the program exits. */
    int run(String... arguments) {
        List<String> words = List.of(arguments);
        boolean backup = words.size() == 2
                && words.get(0).equals("backup")
                && (words.get(1).equals("-") || !words.get(1).startsWith("-"))
                && !words.get(1).isEmpty();
        boolean copy =
                words.size() == 3 && words.get(0).equals("copy") && words.get(1).equals("--to");
        if (!backup && !copy) {
            err.println(USAGE);
            return UNKNOWN;
        }
        try {
            if (backup) {
                backup(words.get(1));
            } else {
                copy(words.get(2));
            }
            return DONE;
        } catch (RefusedException | IOException | SQLException | RuntimeException e) {
            err.println(words.get(0) + " failed: " + reason(e));
            return FAILED;
        }
    }

    private void backup(String file) throws RefusedException, IOException, SQLException {
        SqliteBackup backup = new SqliteBackup(database("pg_dump makes a backup of it"), limit());
        if (file.equals("-")) {
            long bytes = backup.to(out);
            if (out.checkError()) {
                throw new IOException("standard output was closed");
            }
            err.println("backup: " + bytes + " bytes");
        } else {
            long bytes = backup.to(Path.of(file));
            out.println("backup: " + bytes + " bytes in " + file);
        }
    }

    private void copy(String url) throws RefusedException, SQLException {
        RecordCopy copy = new RecordCopy(
                database("copy is for a SQLite file"), (table, rows) -> out.println("copy: " + table + " " + rows));
        long rows = copy.to(
                url,
                environment.getOrDefault("QUIVER_HISTORY_TO_USER", ""),
                environment.getOrDefault("QUIVER_HISTORY_TO_PASSWORD", ""));
        out.println("copy: " + rows + " rows are in PostgreSQL, and were counted there");
    }

    private Path database(String otherwise) throws RefusedException {
        String database = environment.getOrDefault("QUIVER_HISTORY_DATABASE", "");
        if (database.isEmpty()) {
            throw new RefusedException("QUIVER_HISTORY_DATABASE is not set");
        }
        if (database.startsWith("jdbc:")) {
            throw new RefusedException("QUIVER_HISTORY_DATABASE is a PostgreSQL database; " + otherwise);
        }
        return Path.of(database);
    }

    /** The limit of the emptyDir, if the database is in one: a copy that exceeds it would cost the record. */
    private OptionalLong limit() throws RefusedException {
        if (!environment.getOrDefault("QUIVER_HISTORY_EMPTY_DIR", "").equals("true")) {
            return OptionalLong.empty();
        }
        String word = environment.getOrDefault("QUIVER_HISTORY_EMPTY_DIR_LIMIT", "");
        Matcher quantity = QUANTITY.matcher(word);
        if (!quantity.matches()) {
            throw new RefusedException("QUIVER_HISTORY_EMPTY_DIR_LIMIT is no size: '" + word
                    + "'; beyond the limit of an emptyDir the pod is evicted with its record");
        }
        String unit = quantity.group(2);
        int power = unit.isEmpty() ? 0 : 1 + "KMGTP".indexOf(Character.toUpperCase(unit.charAt(0)));
        BigDecimal base = BigDecimal.valueOf(unit.endsWith("i") ? 1024 : 1000);
        return OptionalLong.of(
                new BigDecimal(quantity.group(1)).multiply(base.pow(power)).longValue());
    }

    private static String reason(Exception failure) {
        String message = failure.getMessage() == null ? "" : failure.getMessage();
        return failure instanceof RefusedException
                ? message
                : failure.getClass().getSimpleName() + " " + message.strip();
    }
}
