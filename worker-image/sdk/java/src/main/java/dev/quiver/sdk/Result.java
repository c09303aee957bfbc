package dev.quiver.sdk;

import java.util.List;
import java.util.Objects;

/**
 * The outcome of one task among several.
 *
 * @param output of a task that passed; null is no output
 * @param failure of this task alone; null of one that passed
 */
public record Result(Output output, Exception failure) {
    /** It passed. Null is no output. */
    public static Result of(Output output) {
        return new Result(output, null);
    }

    /** It failed, by itself: as if a handler of one task had thrown this. */
    public static Result failed(Exception failure) {
        return new Result(null, Objects.requireNonNull(failure, "failure"));
    }

    /** The results, when there are as many as tasks. Otherwise those that there are get closed. */
    static List<Result> checked(List<Result> results, int tasks) {
        if (results == null) {
            throw new IllegalStateException("the handler returned null for " + tasks + " tasks");
        }
        long given = results.stream().filter(Objects::nonNull).count();
        if (given != tasks || results.size() != tasks) {
            results.forEach(Result::close);
            throw new IllegalStateException("the handler returned " + given + " results for " + tasks + " tasks");
        }
        return results;
    }

    private static void close(Result result) {
        if (result != null && result.output != null) {
            result.output.close();
        }
    }
}
