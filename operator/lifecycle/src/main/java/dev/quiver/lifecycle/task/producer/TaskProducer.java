package dev.quiver.lifecycle.task.producer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.SentCall;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.redis.StoreUnreachableException;
import dev.quiver.lifecycle.task.commands.TaskCommands;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.rows.SubmitCall;
import dev.quiver.lifecycle.worker.CallBudget;

/**
 * Creates trees for a program that is no leader, many in a call and several calls on their way at once. Each call has a
 * number, and Redis does them once and in order. So a call whose reply was lost is repeated and counts once, also when
 * its trees have ended and gone. Thread-safe; one submission at a time.
 */
public final class TaskProducer {

    /** How long Redis remembers a name, and a tree that has not begun. */
    public static final Duration REMEMBERED = Duration.ofHours(1);

    /** For so long what Redis remembers is relied on. */
    private static final Duration FRESH = REMEMBERED.dividedBy(2);

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
    private Optional<Submission.Name> idle = Optional.empty();

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
     * Creates the trees of a submission, and returns when Redis has confirmed all of them. Where it throws, the submission
     * keeps what was not confirmed: submitting it again goes on where it stopped, and nothing counts twice.
     *
     * @param patience how long it tries
     * @throws StoreUnreachableException when Redis gave no answer for so long
     * @throws StoreRefusedException when Redis refused a call: that call did nothing, those before it are done
     */
    public void submit(Submission submission, Duration patience) {
        one.lock();
        try {
            submit(submission, System.nanoTime() + patience.toNanos());
        } finally {
            one.unlock();
        }
    }

    /**
     * After the submission of a tree of a name: which tree has the name.
     *
     * @return the id of the tree, or of another one that goes on
     */
    public String holder(String id, String name) {
        String facts = store.ask(redis -> redis.hget(keys.roots(), id)); // empty while pieces wait for the last one
        boolean made = facts != null && !facts.isEmpty();
        String holder = made ? id : store.ask(redis -> redis.hget(keys.names(), "n:" + name));
        return holder == null ? id : holder;
    }

    /**
     * Undoes a task: one that waits is cancelled, and the tasks are made that its plan left. A composite is undone by one
     * tree, with what its last plan left first. A repeat makes none, and gives the same ids.
     *
     * @return absent where it is not there any longer
     * @throws IllegalStateException while it runs
     * @throws IllegalArgumentException for a node of a composite
     */
    public Optional<Undone> undo(String id) {
        return new UndoCalls(store, keyspace).undo(id);
    }

    private void submit(Submission submission, long until) {
        Duration pause = FIRST_PAUSE;
        while (!submission.isDone()) {
            chooseName(submission);
            try {
                if (sendSome(submission) > 0) {
                    pause = FIRST_PAUSE;
                } else {
                    sendFirst(submission);
                }
            } catch (StoreException e) {
                if (e instanceof StoreRefusedException refused && !refused.passing()
                        || System.nanoTime() + pause.toNanos() > until
                        || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                LockSupport.parkNanos(pause.toNanos());
                pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
                beforeAgain.run();
            }
        }
        if (submission.hasName()) {
            idle = Optional.of(submission.giveUpName());
        }
    }

    private void chooseName(Submission submission) {
        if (submission.isUnknownFor(FRESH)) {
            throw new StoreUnreachableException(
                    "Redis gave no answer for " + FRESH + ": whether these tasks were created is unknown, and stays so",
                    null);
        }
        if (submission.isOpenFor(FRESH)) {
            throw new StoreUnreachableException(
                    "Redis forgets a tree of which it has had only a part for " + FRESH + ": submit these tasks anew",
                    null);
        }
        if (!submission.hasName()) {
            submission.take(idle.orElseGet(Submission.Name::new));
            idle = Optional.empty();
        } else if (submission.isUnknown()) {
            return; // a call that may have been done is repeated under the name that it had
        }
        if (submission.name().isOlderThan(FRESH)) {
            submission.take(new Submission.Name());
        }
    }

    /** Sends the first calls at once, and counts those that were done up to the first one that was not. */
    private int sendSome(Submission submission) {
        List<CompletableFuture<ScriptReply>> replies = new ArrayList<>();
        List<SentCall<ScriptReply>> sent = new ArrayList<>();
        String name = submission.name().text();
        long number = submission.name().next();
        OptionalLong unknown = submission.send();
        for (SubmitCall call : submission.calls()) {
            var one = sent.size() == AT_ONCE
                    ? Optional.<SentCall<ScriptReply>>empty()
                    : store.send(TaskScripts.SUBMIT, scriptKeys(name, call), arguments(call, number++));
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
        return count(submission, sent, replies, unknown);
    }

    private int count(
            Submission submission,
            List<SentCall<ScriptReply>> sent,
            List<CompletableFuture<ScriptReply>> replies,
            OptionalLong unknown) {
        int counted = 0;
        boolean inOrder = true;
        boolean allKnown = true;
        for (int i = 0; i < replies.size(); i++) {
            Answer answer = answer(sent.get(i), replies.get(i));
            allKnown &= answer.known();
            inOrder &= answer.isDone();
            if (inOrder) {
                count(submission, answer.reply().orElseThrow());
                counted++;
            }
        }
        if (allKnown) {
            submission.known(inOrder && counted > 0 ? OptionalLong.empty() : unknown);
        }
        return counted;
    }

    /**
     * The outcome of a call.
     *
     * @param known whether it is sure that it was done, or was not
     */
    private record Answer(Optional<ScriptReply> reply, boolean known) {
        boolean isDone() {
            return reply.isPresent() && reply.get().code() == ScriptCode.OK;
        }
    }

    private static Answer answer(SentCall<ScriptReply> call, CompletableFuture<ScriptReply> reply) {
        try {
            return new Answer(Optional.of(reply.get(call.nanosLeft(System.nanoTime()), TimeUnit.NANOSECONDS)), true);
        } catch (TimeoutException | InterruptedException e) {
            call.abandon();
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            return new Answer(Optional.empty(), false);
        } catch (ExecutionException e) {
            return new Answer(Optional.empty(), e.getCause() instanceof StoreRefusedException);
        }
    }

    /** Sends the first call alone, so that its problem is thrown. */
    private void sendFirst(Submission submission) {
        SubmitCall first = submission.first();
        Submission.Name name = submission.name();
        OptionalLong unknown = submission.send();
        try {
            ScriptReply reply =
                    store.run(TaskScripts.SUBMIT, scriptKeys(name.text(), first), arguments(first, name.next()));
            if (reply.code() == ScriptCode.GAP) {
                submission.take(new Submission.Name()); // Redis has forgotten this one, and has done nothing
                submission.known(OptionalLong.empty());
            } else {
                submission.known(unknown);
                count(submission, reply);
            }
        } catch (StoreRefusedException refused) {
            submission.known(unknown);
            throw refused;
        }
    }

    private void count(Submission submission, ScriptReply reply) {
        submission.count();
        Set<String> soon = Set.copyOf(reply.texts("commands"));
        if (!soon.isEmpty()) {
            try {
                commands.run(soon, new CallBudget(CALLS));
            } catch (StoreException later) {
                // Workers and the operator run them within a second.
            }
        }
    }

    private String[] scriptKeys(String name, SubmitCall call) {
        return TaskScripts.SUBMIT.keys(
                TaskScriptKeys.ofProducer(keyspace, name)::key,
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
