package dev.quiver.controller.store;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

import io.fabric8.kubernetes.client.KubernetesClientException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.controller.kube.ApiRefusal;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.StaleLeaderException;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.redis.StoreRefusedException;

/**
 * Asks one keyspace all that is due, one question after the other. Each question is bounded in what it reads and in how
 * many calls it makes, and each call in its time, so a round ends whatever a tenant wrote; and only its own keyspace
 * waits for it. {@link #due} and {@link #begin} are for one thread, {@link #run} for another.
 */
final class KeyspaceRound {

    private static final Logger log = LoggerFactory.getLogger(KeyspaceRound.class);

    /** Registries of so many keyspaces at once are in this process' memory, each as large as one may be. */
    private static final Semaphore REGISTRIES = new Semaphore(2);

    /** What there is to ask. */
    enum Question {
        /** Whether it is what it was. */
        LOOK,
        /** Who works in its pools. */
        REGISTRY,
        /** Which of its runs changed. */
        RUNS,
        /** The reaper's tick. */
        REAP,
        /** By which a rewind is told. */
        BEAT,
        /** Keys and users that nobody owns. */
        SWEEP
    }

    /** One question, and which one it is. */
    @FunctionalInterface
    interface Asked {
        /** Asks it of the keyspace; throws what Redis or the API server say against it. */
        void ask(Question question, Keyspace keyspace);
    }

    private final Keyspace keyspace;
    private final StoreLoop.Parts parts;
    private final Asked asked;
    private final Set<Question> due = EnumSet.noneOf(Question.class);
    private final Set<String> said = ConcurrentHashMap.newKeySet();
    private volatile boolean running;
    private volatile boolean failed;

    KeyspaceRound(Keyspace keyspace, StoreLoop.Parts parts, Asked asked) {
        this.keyspace = keyspace;
        this.parts = parts;
        this.asked = asked;
    }

    /** Something is to be asked, now or with the next round. */
    void due(Question question) {
        due.add(question);
    }

    /** Whether the last round was refused or not answered. */
    boolean failed() {
        return failed;
    }

    /** Takes what is due, unless a round is under way. */
    Optional<Set<Question>> begin() {
        if (running || due.isEmpty()) {
            return Optional.empty();
        }
        running = true;
        Set<Question> now = EnumSet.copyOf(due);
        due.clear();
        return Optional.of(now);
    }

    void run(Set<Question> questions) {
        Optional<StoreRefusedException> refusal = Optional.empty();
        boolean answered = true;
        try {
            for (Question question : Question.values()) {
                if (answered && questions.contains(question)) {
                    try {
                        ask(question);
                    } catch (StoreRefusedException no) {
                        if (no.passing()) {
                            answered = false;
                        } else {
                            refusal = refusal.or(() -> Optional.of(no));
                        }
                    } catch (StaleLeaderException stale) {
                        answered = false;
                        parts.stale().accept(stale);
                    } catch (StoreException away) {
                        // The next look says so, once, and in every condition.
                        log.debug("keyspace {}", keyspace.prefix(), away);
                        answered = false;
                    }
                }
            }
            judge(questions, refusal, answered);
        } finally {
            failed = refusal.isPresent() || !answered;
            running = false;
        }
    }

    private void ask(Question question) {
        try {
            if (question == Question.REGISTRY) {
                REGISTRIES.acquire();
                try {
                    asked.ask(question, keyspace);
                } finally {
                    REGISTRIES.release();
                }
            } else {
                asked.ask(question, keyspace);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (KubernetesClientException api) {
            log.warn("keyspace {}: the API server did not answer: {}", keyspace.prefix(), ApiRefusal.message(api));
        } catch (StoreException e) {
            throw e;
        } catch (RuntimeException e) {
            if (said.add(question + " " + e)) {
                log.error("keyspace {}: {}", keyspace.prefix(), question, e);
            }
            throw new StoreRefusedException(
                    StoreRefusedException.Kind.OTHER, "keyspace " + keyspace.prefix() + " cannot be read: " + e, e);
        }
    }

    /** A keyspace is well when a round that looked at it was refused nothing. */
    private void judge(Set<Question> questions, Optional<StoreRefusedException> refusal, boolean answered) {
        if (refusal.isPresent()) {
            parts.store().refused(keyspace, refusal.get());
        } else if (answered && questions.contains(Question.LOOK)) {
            said.clear();
            parts.store().accepted(keyspace);
        }
    }
}
