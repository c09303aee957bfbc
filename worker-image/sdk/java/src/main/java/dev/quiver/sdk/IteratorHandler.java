package dev.quiver.sdk;

/**
 * A function that makes tasks: the iterator node of a Task calls it again and again, each time with room for some more. As
 * the map of a map-reduce, with {@code paged: true}, it makes chunks likewise, and answers {@link Iteration#page}.
 *
 * <p>It answers JSON: {@link Iteration#more} with new tasks and its state, {@link Iteration#LATER} for not now, {@link
 * Iteration#DONE} or {@link Iteration#result} at the end. A call may be repeated, and only its answer counts. An exception
 * is a failed trial of the call. In a map of handlers, {@link #of} tells a lambda from one of a {@link Handler}:
 *
 * <pre>{@code
 * "rows", IteratorHandler.of((iteration, task) -> {
 *     long first = iteration.state().equals("null") ? 0 : Long.parseLong(iteration.state());
 *     List<Row> rows = table.read(first, iteration.room());
 *     return rows.isEmpty()
 *             ? Iteration.DONE
 *             : Iteration.more(
 *                     Long.toString(first + rows.size()),
 *                     rows.stream()
 *                             .map(row -> "{\"handler\":\"row\",\"args\":[" + row.number() + "]}")
 *                             .toList());
 * })
 * }</pre>
 */
@FunctionalInterface
public interface IteratorHandler extends Handler {
    /** One call. Its answer is at most 64 KiB of JSON, of a page 4 MiB; null is {@link Iteration#DONE}. */
    String iterate(Iteration iteration, Task task) throws Exception;

    /** One call, as any handler's. */
    @Override
    default Output handle(Input input, Task task) throws Exception {
        Iteration iteration = Iteration.of(input);
        String answer = iterate(iteration, task);
        if (answer == null) {
            return Output.json(Iteration.DONE);
        }
        iteration.check(task.handler(), answer);
        return Output.json(answer);
    }

    /** The same function, as a handler. */
    static IteratorHandler of(IteratorHandler function) {
        return function;
    }
}
