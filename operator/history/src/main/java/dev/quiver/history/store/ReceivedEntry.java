package dev.quiver.history.store;

import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.history.EntryFields;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.MalformedEntryException;

/**
 * An entry of a keyspace's stream as history received it: understood, or not.
 *
 * @param id in the stream
 * @param fields names and values in turn, as they came; empty where the entry was too large to fetch
 * @param entry absent where nobody could read it
 * @param step the parts of a step's rows, absent for other entries
 * @param error why nobody could read it, empty where somebody could
 */
public record ReceivedEntry(
        String id, List<byte[]> fields, Optional<HistoryEntry> entry, Optional<StepParts> step, String error) {

    /** Reads an entry with its rows. Never fails: what cannot be read has an error. */
    public static ReceivedEntry of(String id, List<byte[]> fields) {
        try {
            HistoryEntry entry = EntryFields.read(fields);
            Optional<StepParts> step =
                    entry instanceof HistoryEntry.Step its ? Optional.of(StepParts.of(its)) : Optional.empty();
            return new ReceivedEntry(id, fields, Optional.of(entry), step, "");
        } catch (MalformedEntryException e) {
            return unread(id, fields, (e.isNewer() ? "newer: " : "malformed: ") + e.getMessage());
        }
    }

    /** One that cannot be used, with the reason. */
    public static ReceivedEntry unread(String id, List<byte[]> fields, String error) {
        return new ReceivedEntry(id, fields, Optional.empty(), Optional.empty(), error);
    }

    /** The same, which the database refused. */
    public ReceivedEntry refused(String why) {
        return unread(id, fields, "refused: " + why);
    }
}
