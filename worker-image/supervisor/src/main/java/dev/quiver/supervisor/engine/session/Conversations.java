package dev.quiver.supervisor.engine.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.supervisor.engine.slots.TaskOwner;

/** The task sets that one session works at, in the order in which it came to them. Belongs to the engine's thread. */
final class Conversations {

    private static final Duration KEPT = Duration.ofSeconds(10);

    /** A specification may be 640 KiB. */
    private static final int MOST_RESTING = 4;

    private final Function<Conversation, TaskOwner> owners;
    private final SequencedMap<String, Conversation> byUid = new LinkedHashMap<>();
    /** Read from the threads of calls, too. */
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    private Optional<Conversation> preferred = Optional.empty();

    /** Without a set; each will be answered for as given. */
    Conversations(Function<Conversation, TaskOwner> owners) {
        this.owners = owners;
    }

    /** Whether the set has a conversation; from any thread. */
    boolean knows(String uid) {
        return known.contains(uid);
    }

    Optional<Conversation> find(String uid) {
        return Optional.ofNullable(byUid.get(uid));
    }

    /** The conversation of this set, a new one if it has none. */
    Conversation open(WorkSource source, Handlers handlers) {
        return byUid.computeIfAbsent(source.id(), set -> {
            Conversation conversation = new Conversation(source, owners);
            conversation.served(handlers);
            known.add(set);
            return conversation;
        });
    }

    Collection<Conversation> all() {
        return byUid.values();
    }

    /** The pool's order named this set: it is claimed from before the others, until another one is named. */
    void prefer(Conversation conversation) {
        preferred = Optional.of(conversation);
    }

    /** The set to claim from: the one that the pool's order named last, or else the first that has work. */
    Optional<Conversation> claiming() {
        if (preferred.filter(Conversation::claims).isPresent()) {
            return preferred;
        }
        for (Conversation conversation : byUid.values()) {
            if (conversation.claims()) {
                return Optional.of(conversation);
            }
        }
        return Optional.empty();
    }

    /** While none has work: the set that most likely gets some, the last one named or else the first. */
    Optional<Conversation> awaited(long now) {
        if (preferred.filter(last -> awaited(last, now)).isPresent()) {
            return preferred;
        }
        for (Conversation conversation : byUid.values()) {
            if (awaited(conversation, now)) {
                return Optional.of(conversation);
            }
        }
        return Optional.empty();
    }

    private static boolean awaited(Conversation conversation, long now) {
        return conversation.active() && !conversation.stepping() && conversation.idleNanos(now) < KEPT.toNanos();
    }

    /** Results that Redis has not counted and that no call carries. */
    int unsettled() {
        int results = 0;
        for (Conversation conversation : byUid.values()) {
            results += conversation.results();
        }
        return results;
    }

    /**
     * Forgets the sets of which nothing is left to do here: those that are over at once, others after a while. A set
     * that is fed slowly would otherwise cost a pick and the reading of its specification for every task. Sets with
     * work may have nothing held by this session, since it is not their turn. They are kept as long as they are few:
     * the pool's order names them again.
     *
     * @return those that were forgotten
     */
    List<Conversation> clearResting(long now) {
        List<Conversation> forgotten = List.of();
        Conversation claiming = claiming().orElse(null);
        int resting = 0;
        for (Iterator<Conversation> all = byUid.sequencedValues().reversed().iterator(); all.hasNext(); ) {
            Conversation conversation = all.next();
            boolean stays =
                    conversation.idleNanos(now) < KEPT.toNanos() && !conversation.ended() && resting < MOST_RESTING;
            if (!conversation.resting() || conversation == claiming) {
                continue;
            }
            if (stays) {
                resting++;
            } else {
                all.remove();
                known.remove(conversation.uid());
                forgotten = forgotten.isEmpty() ? new ArrayList<>() : forgotten;
                forgotten.add(conversation);
                preferred = preferred.filter(other -> other != conversation);
            }
        }
        return forgotten;
    }
}
