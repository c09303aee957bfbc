package dev.quiver.lifecycle.worker;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.redis.StoreRefusedException;

/** The takeover of what the pod's earlier session held, source by source, each so that it can be repeated. */
final class SessionAdoption {

    private static final Logger LOG = LoggerFactory.getLogger(SessionAdoption.class);
    private static final String SOURCE = "set:";

    /** Fields of a session, and bytes that they may take in Redis. */
    private static final int FIELDS = 10_000;

    private static final int FIELDS_BYTES = 2 << 20;

    private final SessionCalls session;
    private final SourceKinds kinds;
    private final RedisReaper reaper;
    private final Map<String, List<Claim>> adopted = new LinkedHashMap<>();
    private Optional<List<Orphan>> orphans = Optional.empty();
    private boolean done;

    SessionAdoption(SessionCalls session, SourceKinds kinds, RedisReaper reaper) {
        this.session = session;
        this.kinds = kinds;
        this.reaper = reaper;
    }

    /** Read once: nothing but this adoption changes what a fenced session holds while it is left to its successor. */
    synchronized List<Orphan> orphans() {
        if (orphans.isEmpty()) {
            orphans = Optional.of(earlier().isEmpty() ? List.of() : read());
        }
        return orphans.get();
    }

    private String earlier() {
        return session.keys().earlier();
    }

    private List<Orphan> read() {
        String hash = session.keys().keyspace().session(earlier());
        Map<String, String> fields =
                readable(hash, () -> new BoundedReads(session.store()).entries(hash, FIELDS, FIELDS_BYTES), Map.of());
        List<Orphan> found = new ArrayList<>();
        for (String field : fields.keySet()) {
            if (field.startsWith(SOURCE)) {
                String source = field.substring(SOURCE.length());
                kinds.find(source)
                        .ifPresent(kind -> found.addAll(
                                readable("source " + source, () -> kind.orphans(session, source), List.of())));
            }
        }
        return List.copyOf(found);
    }

    /** Tasks that cannot be read are none: they are stopped here, and the reaper decides about them. */
    private static <T> T readable(String what, Supplier<T> reading, T none) {
        try {
            return reading.get();
        } catch (StoreRefusedException refused) {
            if (refused.passing()) {
                throw refused;
            }
            LOG.warn("tasks of {} are stopped: {}", what, refused.getMessage());
            return none;
        }
    }

    synchronized List<Claim> run(Collection<Takeover> takeovers) {
        if (!earlier().isEmpty() && !done) {
            Map<String, List<Takeover>> bySource = new LinkedHashMap<>();
            takeovers.forEach(takeover -> bySource.computeIfAbsent(takeover.uid(), source -> new ArrayList<>())
                    .add(takeover));
            bySource.forEach((source, ofSource) -> adopted.computeIfAbsent(source, first -> adopt(first, ofSource)));
            Reaper.Reaped rest = takeBack();
            LOG.info(
                    "of session {} of this pod {} tasks run on, {} run again, {} had lost their worker too often",
                    earlier(),
                    adopted.values().stream().mapToInt(List::size).sum(),
                    rest.requeued(),
                    rest.failed());
            done = true;
        }
        List<Claim> all = new ArrayList<>();
        adopted.values().forEach(all::addAll);
        return List.copyOf(all);
    }

    /** The rest runs elsewhere. If it cannot be read, it is left to whoever ticks next. */
    private Reaper.Reaped takeBack() {
        try {
            return reaper.end(earlier(), false);
        } catch (StoreRefusedException refused) {
            if (refused.passing()) {
                throw refused;
            }
            LOG.warn("session {} of this pod is left to the reaper: {}", earlier(), refused.getMessage());
            return Reaper.Reaped.NONE;
        }
    }

    private List<Claim> adopt(String source, List<Takeover> takeovers) {
        return kinds.find(source)
                .map(kind -> kind.adopt(session, source, takeovers))
                .orElse(List.of());
    }
}
