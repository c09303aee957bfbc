package dev.quiver.lifecycle.history.stream;

import java.util.ArrayList;
import java.util.List;

import dev.quiver.lifecycle.history.EntryFields;
import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.MalformedEntryException;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.StepRowsReader;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;

/** The entries of a keyspace's stream, as its reader finds them. */
public record RecordedEntries(List<HistoryEntry> all) {

    /** One row of a step with its letter. */
    public record Row(
            String run, long task, StepRowsReader.Kind kind, char verdict, TrialRow trial, int slot, long runMillis) {}

    /** Those that are in the stream now. */
    public static RecordedEntries of(RedisStore store, Keyspace keyspace) {
        List<HistoryEntry> all = new ArrayList<>();
        for (HistoryStream.Entry entry :
                new HistoryStream(store, keyspace).read(10_000).entries()) {
            try {
                all.add(EntryFields.read(entry.fields()));
            } catch (MalformedEntryException e) {
                throw new AssertionError("an entry of ours cannot be read: " + entry, e);
            }
        }
        return new RecordedEntries(all);
    }

    /** The entries of one kind, in their order. */
    public <E extends HistoryEntry> List<E> of(Class<E> kind) {
        return all.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** The rows that count, each with its letter, in their order. */
    public List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        for (HistoryEntry.Step step : of(HistoryEntry.Step.class)) {
            try {
                StepRowsReader reader = StepRows.read(step.rows(), HistoryBounds.ROWS);
                while (reader.next()) {
                    char verdict = step.verdicts().charAt(reader.index());
                    if (EntryFields.counts(verdict) && reader.kind() != StepRowsReader.Kind.NOTHING) {
                        boolean own = reader.run().isEmpty() || reader.run().startsWith(EntryFields.QUEUE);
                        String run = own ? step.uid() : reader.run();
                        rows.add(new Row(
                                run,
                                reader.task(),
                                reader.kind(),
                                verdict,
                                reader.trial().orElse(null),
                                reader.slot(),
                                reader.runMillis()));
                    }
                }
            } catch (MalformedEntryException e) {
                throw new AssertionError("rows of ours cannot be read: " + step, e);
            }
        }
        return rows;
    }
}
