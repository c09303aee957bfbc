package dev.quiver.lifecycle.task;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.KeyspaceHealth;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.SentCall;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.redis.StoreUnreachableException;
import dev.quiver.lifecycle.worker.CallBudget;

/**
 * Creates trees for a program that is no leader, many in a call and several calls on their way at once. Each call has a
 * number, and Redis does them once and in order. So a call whose reply was lost is repeated and counts once, also when
 * its trees have ended and gone. Thread-safe; one submission at a time.
 */
public final class TaskProducer {

    /** How long Redis remembers a producer, and a tree that has not begun. */
    static final Duration REMEMBERED = Duration.ofHours(1);

    /** A producer that was silent for so long takes another name, well before it is forgotten. */
    private static final Duration FRESH = REMEMBERED.dividedBy(2);

    /** Characters of a name at most. */
    static final int NAME_CHARS = 253;

    private static final int AT_ONCE = 8;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    private static final int CALLS = 1000;

    private final RedisStore store;
    private final Keyspace keyspace;
    private final TaskKeys keys;
    private final TaskCommands commands;
    private final Runnable beforeAgain;
    private final ReentrantLock one = new ReentrantLock();
    private final Deque<SubmitCall> pending = new ArrayDeque<>();
    private String producer = "";
    private long next = 1;
    private long lastCounted;
    private long oldest;

    /**
     * In one keyspace.
     *
     * @param beforeAgain called before a call is repeated, to look whether the functions have other names
     */
    public TaskProducer(RedisStore store, Keyspace keyspace, Runnable beforeAgain) {
        this.store = store;
        this.keyspace = keyspace;
        this.keys = new TaskKeys(keyspace);
        this.commands = new TaskCommands(store, keyspace);
        this.beforeAgain = beforeAgain;
    }

    /**
     * Creates these trees. Where it throws that Redis gave no answer, calling it again, also without trees, goes on where
     * it stopped.
     *
     * @param patience how long it tries
     * @throws StoreException for the last problem; a refusal that does not pass drops what was not created
     */
    public void submit(List<TaskTree> trees, Duration patience) {
        make(SubmitCall.of(trees), patience);
    }

    /**
     * Creates a tree of a name, unless another one of this name goes on.
     *
     * @param name 1 to {@value #NAME_CHARS} characters, none of them a control character
     * @return the id of the tree that has the name
     */
    public String submit(TaskTree tree, String name, Duration patience) {
        if (name.isEmpty() || name.length() > NAME_CHARS || name.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("the name is \"" + name + "\", 1 to " + NAME_CHARS
                    + " characters are needed, and no control character");
        }
        make(SubmitCall.of(List.of(tree), Map.of(tree.id(), name)), patience);
        String facts =
                store.ask(redis -> redis.hget(keys.roots(), tree.id())); // empty while pieces wait for the last one
        boolean made = facts != null && !facts.isEmpty();
        String holder = made ? tree.id() : store.ask(redis -> redis.hget(keys.names(), "n:" + name));
        return holder == null ? tree.id() : holder;
    }

    private void make(List<SubmitCall> calls, Duration patience) {
        one.lock();
        try {
            if (pending.isEmpty()) {
                oldest = System.nanoTime();
            }
            pending.addAll(calls);
            submit(System.nanoTime() + patience.toNanos());
        } finally {
            one.unlock();
        }
    }

    private void submit(long until) {
        Duration pause = FIRST_PAUSE;
        while (!pending.isEmpty()) {
            chooseName();
            try {
                if (sendSome() > 0) {
                    pause = FIRST_PAUSE;
                } else {
                    count(run(arguments(pending.peek(), next), pending.peek()));
                }
            } catch (StoreException e) {
                if (e instanceof StoreRefusedException refused && !refused.passing()) {
                    drop();
                    throw e;
                }
                if (System.nanoTime() + pause.toNanos() > until
                        || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                LockSupport.parkNanos(pause.toNanos());
                pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
                beforeAgain.run();
            }
        }
    }

    private void chooseName() {
        long now = System.nanoTime();
        if (producer.isEmpty() || next > 1 && now - lastCounted > FRESH.toNanos()) {
            if (now - oldest > FRESH.toNanos()) {
                drop();
                throw new StoreUnreachableException(
                        "Redis gave no answer for " + FRESH + ": the outcome is unknown", null);
            }
            rename();
        }
    }

    private void rename() {
        producer = KeyspaceHealth.randomName();
        next = 1;
        lastCounted = System.nanoTime();
    }

    /** What is on its way may arrive later under the old name: nothing follows it there. */
    private void drop() {
        pending.clear();
        producer = "";
    }

    /** Sends the first calls at once, and counts those that were done up to the first one that was not. */
    private int sendSome() {
        List<CompletableFuture<ScriptReply>> replies = new ArrayList<>();
        List<SentCall<ScriptReply>> sent = new ArrayList<>();
        long number = next;
        for (SubmitCall call : pending) {
            var one = sent.size() == AT_ONCE
                    ? Optional.<SentCall<ScriptReply>>empty()
                    : store.send(TaskScripts.SUBMIT, scriptKeys(call), arguments(call, number++));
            if (one.isEmpty()) {
                break;
            }
            CompletableFuture<ScriptReply> reply = new CompletableFuture<>();
            one.get().whenKnown((answer, problem) -> {
                if (problem == null) {
                    reply.complete(answer);
                } else {
                    reply.completeExceptionally(problem);
                }
            });
            sent.add(one.get());
            replies.add(reply);
        }
        int counted = 0;
        for (int i = 0; i < replies.size(); i++) {
            var reply = answer(sent.get(i), replies.get(i));
            if (reply.isEmpty() || reply.get().code() != ScriptCode.OK) {
                break;
            }
            count(reply.get());
            counted++;
        }
        return counted;
    }

    private static Optional<ScriptReply> answer(SentCall<ScriptReply> call, CompletableFuture<ScriptReply> reply) {
        try {
            return Optional.of(reply.get(call.nanosLeft(System.nanoTime()), TimeUnit.NANOSECONDS));
        } catch (TimeoutException | InterruptedException e) {
            call.abandon();
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            return Optional.empty();
        } catch (ExecutionException e) {
            return Optional.empty();
        }
    }

    private ScriptReply run(String[] arguments, SubmitCall call) {
        return store.run(TaskScripts.SUBMIT, scriptKeys(call), arguments);
    }

    /** The answer to the first call that is pending. A gap: Redis has forgotten this producer, and done nothing. */
    private void count(ScriptReply reply) {
        if (reply.code() == ScriptCode.GAP) {
            rename();
            return;
        }
        pending.remove();
        next++;
        lastCounted = System.nanoTime();
        Set<String> soon = Set.copyOf(BoundedReads.texts(reply, 2));
        if (!soon.isEmpty()) {
            try {
                commands.run(soon, new CallBudget(CALLS));
            } catch (StoreException later) {
                // Workers and the operator run them within a second.
            }
        }
    }

    private String[] scriptKeys(SubmitCall call) {
        return TaskScripts.SUBMIT.keys(
                TaskScriptKeys.ofProducer(keyspace, producer)::key,
                call.pools().stream().flatMap(pool -> keys.queue(pool).stream()).toList());
    }

    private static String[] arguments(SubmitCall call, long number) {
        List<String> arguments = new ArrayList<>(2 + call.trees().size());
        arguments.add(Long.toString(number));
        arguments.add(Long.toString(REMEMBERED.toMillis()));
        arguments.addAll(call.trees());
        return arguments.toArray(String[]::new);
    }
}
