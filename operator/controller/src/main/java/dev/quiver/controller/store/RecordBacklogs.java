package dev.quiver.controller.store;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;

import dev.quiver.lifecycle.history.stream.HistoryBacklog;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** How far history is behind in each keyspace, as of the last look. Thread-safe. */
public final class RecordBacklogs {

    private final boolean recorded;
    private final Function<Keyspace, HistoryBacklog> look;
    private final Map<Keyspace, RecordBacklog> seen = new ConcurrentHashMap<>();
    private final List<Consumer<Keyspace>> onChange = new CopyOnWriteArrayList<>();

    /**
     * Knows nothing yet.
     *
     * @param recorded whether runs are recorded; else there is no backlog
     * @param look asks Redis
     */
    RecordBacklogs(boolean recorded, Function<Keyspace, HistoryBacklog> look) {
        this.recorded = recorded;
        this.look = look;
    }

    /** The backlog of a keyspace; absent until the first look. */
    public Optional<RecordBacklog> of(Keyspace keyspace) {
        return recorded ? Optional.ofNullable(seen.get(keyspace)) : Optional.of(RecordBacklog.NONE);
    }

    /** Keyspaces in which history is so far behind that something is left out of the record. */
    public int behind() {
        return (int) seen.values().stream().filter(RecordBacklog::behind).count();
    }

    /** Called with a keyspace whose backlog became another one. */
    public void onChange(Consumer<Keyspace> listener) {
        onChange.add(listener);
    }

    /** Looks at a keyspace, where runs are recorded. */
    void look(Keyspace keyspace) {
        if (!recorded) {
            return;
        }
        RecordBacklog now = RecordBacklog.of(look.apply(keyspace));
        RecordBacklog before = seen.put(keyspace, now);
        // A first look without a backlog clears a condition that the last leader wrote.
        if (!now.equals(before)) {
            onChange.forEach(listener -> listener.accept(keyspace));
        }
    }

    /** Forgets all other keyspaces. */
    void forgetBut(Set<Keyspace> used) {
        seen.keySet().retainAll(used);
    }
}
