package dev.quiver.lifecycle.task.results;

import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

import dev.quiver.lifecycle.arrow.SchemaMismatchException;
import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.RawJson;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.CombineTree;
import dev.quiver.lifecycle.ordinals.OrdinalKeys;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.keys.ChunkKeys;
import dev.quiver.lifecycle.task.model.LastArgument;
import dev.quiver.lifecycle.task.rows.StoredResult;

/** Results of the chunks of one node, read a page at a time. */
public record ChunkResults(RedisStore store, Keyspace keyspace, OrdinalKeys keys) {

    /** The results of a node with chunks. */
    public static ChunkResults of(RedisStore store, Keyspace keyspace, String node) {
        return new ChunkResults(store, keyspace, new ChunkKeys(keyspace, node).keys());
    }

    /** The numbers of its tasks; absent fields count as none. */
    CombineTree combines() {
        var fields = new BoundedReads(store).fields(keys.hash(), 64, "count", "fan_in");
        return BoundedReads.understood(
                keys.hash(),
                () -> new CombineTree(
                        fields.getFirst().map(Long::parseLong).orElse(0L),
                        fields.getLast().map(Integer::parseInt).orElse(0)));
    }

    /**
     * How far chunks are; combines do not count.
     *
     * @param ended those that passed or were given up
     */
    public record Progress(long ended, long all) {}

    /** How far its chunks are; absent before they begin. */
    public Optional<Progress> progress() {
        var fields = new BoundedReads(store)
                .fields(keys.hash(), 256, "count", "succeeded_count", "failed_count", "combines_run");
        if (fields.stream().anyMatch(Optional::isEmpty)) {
            return Optional.empty();
        }
        return Optional.of(BoundedReads.understood(keys.hash(), () -> {
            long[] numbers = fields.stream()
                    .mapToLong(field -> Long.parseLong(field.orElseThrow()))
                    .toArray();
            return new Progress(Math.max(0, numbers[1] + numbers[2] - numbers[3]), numbers[0]);
        }));
    }

    /** Why the task that makes its chunks waits and is tried again: Redis has no memory for them. Absent without such a wait. */
    public Optional<String> refusal() {
        var fields =
                new BoundedReads(store).fields(keys.hash(), BoundedReads.NAME_BYTES, "status", "reason", "message");
        return fields.get(2)
                .filter(_ -> fields.get(0).equals(Optional.of("feeding"))
                        && fields.get(1).equals(Optional.of("OutOfMemory")));
    }

    /** Bytes of all results, as they are kept. */
    long bytes() {
        return BoundedReads.understood(
                keys.hash(),
                () -> new BoundedReads(store)
                        .fields(keys.hash(), 64, "bytes")
                        .getFirst()
                        .map(Long::parseLong)
                        .orElse(0L));
    }

    /**
     * The array of all results, in the order of the chunks; without those that were given up. With combines it is that
     * of the last one.
     *
     * @param most bytes at most
     * @throws InputTooLargeException with both sizes
     */
    String all(long most) {
        return array(combines().last(), most);
    }

    /**
     * One of all results; absent where there are fewer.
     *
     * @param most bytes at most, of all of them where some were given up
     */
    Optional<String> element(int index, long most) {
        boolean all = new BoundedReads(store)
                .fields(keys.hash(), 64, "skipped_count")
                .getFirst()
                .filter("0"::equals)
                .isPresent();
        CombineTree.Range range = combines().last();
        if (all) {
            return index < range.size()
                    ? Optional.of(array(new CombineTree.Range(range.first() + index, 1), most))
                            .map(array -> array.substring(1, array.length() - 1))
                            .filter(text -> !text.isEmpty())
                    : Optional.empty();
        }
        List<String> texts = RawJson.elements("the results", array(range, most));
        return index < texts.size() ? Optional.of(texts.get(index)) : Optional.empty();
    }

    /**
     * The results of the range that are there, in the form that the task gets. They are one stream if they are streams,
     * a list if some are in files, and otherwise the array of all.
     *
     * @param most bytes at most
     * @throws InputTooLargeException with both sizes
     * @throws SchemaMismatchException where they cannot be one
     */
    public LastArgument joined(CombineTree combines, CombineTree.Range range, long most) {
        try {
            ChunkJoin join = new ChunkJoin(most);
            each(
                    range,
                    most,
                    (id, result) -> join.add(
                            combines.isCombine(id) ? "combine " + (id - combines.count()) : "chunk " + id, result));
            return join.joined();
        } catch (InputTooLargeException large) {
            throw large.with("combine the results, let Arrow go to scratch, or return less");
        }
    }

    /** The array of these results, those that are there; a stream among them as an object. */
    String array(CombineTree.Range range, long most) {
        StringJoiner json = new StringJoiner(",", "[", "]"); // joins them without a further copy
        AtomicLong bytes = new AtomicLong(2);
        each(range, most, (_, result) -> {
            String value = switch (result) {
                case StoredResult.Arrow(byte[] stream) -> new LastArgument.Arrow(stream).json();
                case StoredResult.Reference file -> file.json();
                default -> ((StoredResult.Value) result).result().json();
            };
            InputTooLargeException.check("the input", bytes.addAndGet(Utf8.length(value) + 1), most);
            json.add(value);
        });
        return json.toString();
    }

    /** The use of a result, which is a value or a stream. */
    private interface Taking {
        void take(long id, StoredResult result);
    }

    private void each(CombineTree.Range range, long most, Taking taking) {
        ResultPages pages = new ResultPages(store, keyspace, keys.results());
        long bytes = 2;
        long end = range.first() + range.size();
        for (long from = range.first(); from < end; from += ResultPages.PAGE) {
            List<String> ids = LongStream.range(from, Math.min(from + ResultPages.PAGE, end))
                    .mapToObj(Long::toString)
                    .toList();
            List<String> texts = pages.read(ids, bytes, most);
            for (int i = 0; i < texts.size(); i++) {
                bytes += Utf8.length(texts.get(i));
                StoredResult result = StoredResult.parse(texts.get(i)).orElse(null);
                if (result instanceof StoredResult.Value
                        || result instanceof StoredResult.Arrow
                        || result instanceof StoredResult.Reference) {
                    taking.take(from + i, result);
                }
            }
        }
    }
}
