package dev.quiver.lifecycle.history.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.history.EntryFields;
import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.Shortage;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptReply;

/**
 * The record's stream of one keyspace, for its reader. Entries stay until they are trimmed, so a reader that dies reads
 * them again. Thread-safe.
 */
public final class HistoryStream {

    /** Bytes of the fields of a page, about: one entry more may come. */
    static final int PAGE_BYTES = 4 * 1024 * 1024;

    private final RedisStore store;
    private final Keyspace keyspace;

    /** Opens the stream of that keyspace, over a store that the caller closes. */
    public HistoryStream(RedisStore store, Keyspace keyspace) {
        this.store = store;
        this.keyspace = keyspace;
    }

    /**
     * An entry as it stands in the stream.
     *
     * @param id of the entry
     * @param bytes of all names and values
     * @param fields names and values in turn; empty where the entry was too large to be fetched
     */
    public record Entry(String id, long bytes, List<byte[]> fields) {}

    /**
     * The oldest entries.
     *
     * @param entries in their order
     * @param more whether the stream has others behind them
     */
    public record Page(List<Entry> entries, boolean more) {}

    /**
     * Reads the oldest entries.
     *
     * @param most entries, 1 or more
     */
    public Page read(int most) {
        if (store.ask(redis -> redis.xlen(keyspace.history())) == 0) {
            return new Page(List.of(), false);
        }
        String[] keys = HistoryScripts.READ.keys(keyspace::key, List.of());
        ScriptReply reply = store.runForBytes(
                HistoryScripts.READ,
                keys,
                Integer.toString(most),
                Integer.toString(PAGE_BYTES),
                Integer.toString(HistoryBounds.ENTRY_BYTES));
        List<Entry> entries = new ArrayList<>();
        ScriptReply.Rest page = reply.rest("page");
        while (page.more()) {
            String id = page.ascii();
            long size = page.number();
            int count = Math.toIntExact(page.number());
            List<byte[]> fields = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                fields.add(page.bytes());
            }
            entries.add(new Entry(id, size, fields));
        }
        return new Page(entries, entries.size() < reply.number("entries"));
    }

    /** Notes that the volume of the record has too little room, or that it has enough. To be repeated within ten minutes. */
    public void note(Optional<Shortage> shortage) {
        store.run(
                HistoryScripts.NOTE_ROOM,
                HistoryScripts.NOTE_ROOM.keys(keyspace::key, List.of()),
                Long.toString(shortage.map(Shortage::wanted).orElse(0L)),
                Long.toString(shortage.map(Shortage::room).orElse(0L)));
    }

    /**
     * Takes the entries of a page away, once the record has them. A repeat does nothing.
     *
     * @return how many went
     */
    public long trim(Page page) {
        if (page.entries().isEmpty()) {
            return 0;
        }
        long bytes = page.entries().stream()
                .mapToLong(entry -> entry.bytes() + EntryFields.OVERHEAD_BYTES)
                .sum();
        String[] keys = HistoryScripts.TRIM.keys(keyspace::key, List.of());
        return store.run(
                        HistoryScripts.TRIM,
                        keys,
                        page.entries().getLast().id(),
                        Integer.toString(page.entries().size()),
                        Long.toString(bytes))
                .number("went");
    }
}
