package dev.quiver.history.persist;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.history.store.Database;
import dev.quiver.history.store.Fault;
import dev.quiver.history.store.ReceivedEntry;
import dev.quiver.history.store.RecordWriter;
import dev.quiver.lifecycle.history.stream.HistoryStream;
import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * Writes a page of entries in one transaction. Where the database refuses the content, the page is halved down to the
 * entry, which goes to the unread ones. Stateless.
 */
final class EntryBatch {

    private static final Logger LOG = LoggerFactory.getLogger(EntryBatch.class);

    private final Database database;
    private final RecordWriter writer;

    EntryBatch(Database database, RecordWriter writer) {
        this.database = database;
        this.writer = writer;
    }

    /** The outcome of a page. */
    enum Outcome {
        /** It is committed. */
        WRITTEN,
        /** Another process writes this keyspace now. */
        NOT_OURS
    }

    static List<ReceivedEntry> received(HistoryStream.Page page) {
        List<ReceivedEntry> received = new ArrayList<>();
        for (HistoryStream.Entry entry : page.entries()) {
            boolean fetched = entry.bytes() == 0 || !entry.fields().isEmpty();
            received.add(
                    fetched
                            ? ReceivedEntry.of(entry.id(), entry.fields())
                            : ReceivedEntry.unread(
                                    entry.id(), List.of(), "malformed: an entry of " + entry.bytes() + " bytes"));
        }
        return received;
    }

    /**
     * Writes them.
     *
     * @throws SQLException for anything but content: nothing of this page may be trimmed
     */
    Outcome write(Keyspace keyspace, List<ReceivedEntry> entries) throws SQLException {
        try {
            return database.change(connection -> {
                if (!database.owns(connection, keyspace.prefix())) {
                    return Outcome.NOT_OURS;
                }
                writer.write(connection, keyspace, entries);
                return Outcome.WRITTEN;
            });
        } catch (SQLException e) {
            if (database.fault(e) != Fault.CONTENT) {
                throw e;
            }
            return without(keyspace, entries, e);
        } catch (RuntimeException e) {
            // Whatever content this program stumbles over must not stop the loop of its keyspace.
            return without(keyspace, entries, e);
        }
    }

    private Outcome without(Keyspace keyspace, List<ReceivedEntry> entries, Exception refusal) throws SQLException {
        if (entries.size() > 1) {
            int half = entries.size() / 2;
            Outcome first = write(keyspace, entries.subList(0, half));
            Outcome second = write(keyspace, entries.subList(half, entries.size()));
            return first == Outcome.WRITTEN ? second : first;
        }
        ReceivedEntry one = entries.getFirst();
        if (one.entry().isEmpty()) {
            throw new SQLException("an unread entry cannot be kept: " + refusal.getMessage(), refusal);
        }
        LOG.warn("keyspace {}: entry {} is refused: {}", keyspace.prefix(), one.id(), refusal.getMessage());
        return write(keyspace, List.of(one.refused(String.valueOf(refusal.getMessage()))));
    }
}
