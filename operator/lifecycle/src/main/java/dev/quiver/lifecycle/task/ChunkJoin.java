package dev.quiver.lifecycle.task;

import java.util.Optional;
import java.util.StringJoiner;

import dev.quiver.lifecycle.arrow.ArrowStream;
import dev.quiver.lifecycle.arrow.SchemaMismatchException;
import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.Utf8;

/** Results of chunks or folds, put together in the order in which they are added. Not thread-safe. */
final class ChunkJoin {

    private static final String JSON = "JSON, no Arrow";

    private final long most;
    private final StringJoiner json = new StringJoiner(",", "[", "]"); // joins them without a further copy
    private final ArrowStream.Joining streams = new ArrowStream.Joining();
    private Optional<String> first = Optional.empty();
    private boolean arrow;
    private String schema = JSON;
    private long bytes = 2;

    /**
     * Of none so far.
     *
     * @param most bytes of all of them at most
     */
    ChunkJoin(long most) {
        this.most = most;
    }

    /**
     * Adds a result.
     *
     * @param name of the task that made it, for messages
     * @param result a value or a stream
     * @throws SchemaMismatchException where it is not of the kind of the first one
     */
    void add(String name, StoredResult result) {
        Optional<ArrowStream> stream =
                result instanceof StoredResult.Arrow(byte[] own) ? Optional.of(ArrowStream.of(own)) : Optional.empty();
        if (first.isEmpty()) {
            first = Optional.of(name);
            arrow = stream.isPresent();
            schema = described(stream);
        } else if (arrow != stream.isPresent()) {
            throw new SchemaMismatchException(first.get(), schema, name, described(stream));
        }
        if (stream.isPresent()) {
            streams.add(name, stream.get());
            bytes = streams.size();
        } else {
            String text = ((StoredResult.Value) result).result().json();
            json.add(text);
            bytes += Utf8.length(text) + 1;
        }
        InputTooLargeException.check("the input", bytes, most);
    }

    private static String described(Optional<ArrowStream> stream) {
        return stream.map(all -> all.schema().text()).orElse(JSON);
    }

    /** One stream of all of them, or the array of all; the empty array of none. */
    LastArgument joined() {
        return arrow ? new LastArgument.Arrow(streams.stream()) : new LastArgument.Json(json.toString());
    }
}
