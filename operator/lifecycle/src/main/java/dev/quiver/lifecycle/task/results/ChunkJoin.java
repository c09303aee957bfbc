package dev.quiver.lifecycle.task.results;

import java.util.Optional;
import java.util.StringJoiner;

import dev.quiver.lifecycle.arrow.ArrowStream;
import dev.quiver.lifecycle.arrow.SchemaMismatchException;
import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.task.model.LastArgument;
import dev.quiver.lifecycle.task.rows.StoredResult;

/** Results of chunks or combines, put together in the order in which they are added. Not thread-safe. */
final class ChunkJoin {

    private static final String JSON = "JSON, no Arrow";

    private final long most;
    private final StringJoiner json = new StringJoiner(",", "[", "]"); // joins them without a further copy
    private final ArrowStream.Joining joining = new ArrowStream.Joining();
    private Optional<String> first = Optional.empty();
    private boolean arrow;
    private boolean files;
    private String schema = JSON;
    private long bytes = 2;

    /**
     * Starts without a result.
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
     * @param result a value, a stream or the file of one
     * @throws SchemaMismatchException where it is not of the kind of the first one
     */
    void add(String name, StoredResult result) {
        Optional<ArrowStream> stream =
                result instanceof StoredResult.Arrow(byte[] own) ? Optional.of(ArrowStream.of(own)) : Optional.empty();
        boolean isArrow = !(result instanceof StoredResult.Value);
        if (first.isEmpty()) {
            first = Optional.of(name);
            arrow = isArrow;
            schema = described(result, stream);
        } else if (arrow != isArrow) {
            throw new SchemaMismatchException(first.get(), schema, name, described(result, stream));
        }
        switch (result) {
            case StoredResult.Value(var value) -> add(value.json());
            case StoredResult.Reference file -> {
                files = true;
                addShort();
                add(file.json());
            }
            default -> joining.add(name, stream.orElseThrow());
        }
        InputTooLargeException.check("the input", bytes + (joining.isEmpty() ? 0 : joining.size()), most);
    }

    private void add(String value) {
        json.add(value);
        bytes += Utf8.length(value) + 1;
    }

    /** Neighbours that are in no file are one stream of the list. */
    private void addShort() {
        if (!joining.isEmpty()) {
            add(new LastArgument.Arrow(joining.take()).json());
        }
    }

    private static String described(StoredResult result, Optional<ArrowStream> stream) {
        return stream.map(all -> all.schema().text())
                .orElseGet(() -> result instanceof StoredResult.Reference(String path) ? "Arrow in " + path : JSON);
    }

    /**
     * One stream of all of them; a list of them where some are in files, or the array of values. The empty array of none.
     *
     * @throws InputTooLargeException with both sizes
     */
    LastArgument joined() {
        if (!files) {
            return arrow ? new LastArgument.Arrow(joining.take()) : new LastArgument.Json(json.toString());
        }
        addShort();
        InputTooLargeException.check("the input", bytes, most);
        return new LastArgument.References(json.toString());
    }
}
