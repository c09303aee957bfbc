package dev.quiver.lifecycle.worker;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The takeover of what the pod's earlier session held, source by source, each so that it can be repeated. */
final class SessionAdoption {

    private static final Logger LOG = LoggerFactory.getLogger(SessionAdoption.class);
    private static final String SOURCE = "set:";

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

    /** Read once: nothing but this adoption changes what a condemned session holds while it is left to its successor. */
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
        List<Orphan> found = new ArrayList<>();
        for (String field : session.store().ask(redis -> redis.hkeys(hash))) {
            if (field.startsWith(SOURCE)) {
                String source = field.substring(SOURCE.length());
                kinds.find(source).ifPresent(kind -> found.addAll(kind.orphans(session, source)));
            }
        }
        return List.copyOf(found);
    }

    synchronized List<Claim> run(Collection<Takeover> takeovers) {
        if (!earlier().isEmpty() && !done) {
            Map<String, List<Takeover>> bySource = new LinkedHashMap<>();
            takeovers.forEach(takeover -> bySource.computeIfAbsent(takeover.uid(), source -> new ArrayList<>())
                    .add(takeover));
            bySource.forEach((source, ofSource) -> adopted.computeIfAbsent(source, first -> adopt(first, ofSource)));
            Reaper.Reaped rest = reaper.end(earlier(), false);
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

    private List<Claim> adopt(String source, List<Takeover> takeovers) {
        return kinds.find(source)
                .map(kind -> kind.adopt(session, source, takeovers))
                .orElse(List.of());
    }
}
