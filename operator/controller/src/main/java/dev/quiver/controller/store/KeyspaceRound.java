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
 * Asks one keyspace all questions that are due, one after the other. Each question is bounded in bytes and calls, and
 * each call in its time. So a round ends even if a tenant wrote hostile data, and only its own keyspace waits for it.
 * {@link #due} and {@link #begin} are for one thread, {@link #run} for another.
 */
final class KeyspaceRound {

    private static final Logger log = LoggerFactory.getLogger(KeyspaceRound.class);

    /** Bounds the keyspaces whose registries are read into memory at once; each may be as large as allowed. */
    private static final Semaphore REGISTRIES = new Semaphore(2);

    /** The questions, in the order in which they are asked. */
    enum Question {
        /** Was the keyspace emptied or rewound, and how far is history behind? */
        LOOK,
        /** The findings of probes of its pools. */
        PROBES,
        /** The workers of its pools, and what their Tasks wait for. */
        REGISTRY,
        /** The work that waits for its pools. */
        LOAD,
        /** How much there is to do in its pools. */
        QUEUES,
        /** The runs that changed. */
        RUNS,
        /** The reaper's tick. */
        REAP,
        /** The beat that shows a rewind. */
        BEAT,
        /** Removes keys and users without an owner. */
        SWEEP
    }

    /** Asks one question. */
    @FunctionalInterface
    interface Handler {
        /** Asks the question of the keyspace; throws the refusal of Redis or of the API server. */
        void ask(Question question, Keyspace keyspace);
    }

    private final Keyspace keyspace;
    private final StoreLoop.Parts parts;
    private final Handler handler;
    private final Set<Question> due = EnumSet.noneOf(Question.class);
    private final Set<String> logged = ConcurrentHashMap.newKeySet();
    private volatile boolean running;
    private volatile boolean failed;

    KeyspaceRound(Keyspace keyspace, StoreLoop.Parts parts, Handler handler) {
        this.keyspace = keyspace;
        this.parts = parts;
        this.handler = handler;
    }

    /** Adds a question to this round or the next. */
    void due(Question question) {
        due.add(question);
    }

    /** Whether the last round was refused or not answered. */
    boolean failed() {
        return failed;
    }

    /** Takes the due questions, unless a round is running. */
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
                        // The next look logs it once and puts it into every condition.
                        log.debug("keyspace {}", keyspace.prefix(), away);
                        answered = false;
                    }
                }
            }
            settle(questions, refusal, answered);
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
                    handler.ask(question, keyspace);
                } finally {
                    REGISTRIES.release();
                }
            } else {
                handler.ask(question, keyspace);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (KubernetesClientException api) {
            log.warn("keyspace {}: the API server did not answer: {}", keyspace.prefix(), ApiRefusal.message(api));
        } catch (StoreException e) {
            throw e;
        } catch (RuntimeException e) {
            if (logged.add(question + " " + e)) {
                log.error("keyspace {}: {}", keyspace.prefix(), question, e);
            }
            throw new StoreRefusedException(
                    StoreRefusedException.Kind.OTHER, "keyspace " + keyspace.prefix() + " cannot be read: " + e, e);
        }
    }

    /** Settles the state: a keyspace can be used when a round with a look had no refusal. */
    private void settle(Set<Question> questions, Optional<StoreRefusedException> refusal, boolean answered) {
        if (refusal.isPresent()) {
            parts.store().keyspaces().refused(keyspace, refusal.get());
        } else if (answered && questions.contains(Question.LOOK)) {
            logged.clear();
            parts.store().keyspaces().accepted(keyspace);
        }
    }
}
