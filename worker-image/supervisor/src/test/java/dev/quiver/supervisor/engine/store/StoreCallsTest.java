package dev.quiver.supervisor.engine.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.redis.SentCall;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.redis.StoreUnreachableException;

/** Calls that are sent without a thread: answered, refused, and never answered. */
class StoreCallsTest {

    private static final long ANSWER_BY = 1_000;

    private final AtomicInteger woken = new AtomicInteger();
    private final Mailbox mailbox = new Mailbox(woken::incrementAndGet);
    private final StoreTrouble trouble = new StoreTrouble();
    private final EngineStats stats = new EngineStats();
    private final List<String> answers = new ArrayList<>();
    private final AtomicInteger repeated = new AtomicInteger();
    private final AtomicInteger discarded = new AtomicInteger();
    private final CompletableFuture<String> reply = new CompletableFuture<>();
    private final StoreCalls calls = new StoreCalls(mailbox, trouble, stats, fault -> answers.add(fault.toString()));
    private boolean wanted = true;

    @AfterEach
    void close() {
        calls.close();
    }

    private void call() {
        Supplier<Optional<SentCall<String>>> send =
                () -> Optional.of(SentCall.of(reply, ANSWER_BY, discarded::incrementAndGet));
        calls.untilAnswered(
                send,
                () -> {
                    repeated.incrementAndGet();
                    return "repeated";
                },
                () -> wanted,
                answers::add);
    }

    private void readLetters() {
        for (Runnable letter = mailbox.poll(); letter != null; letter = mailbox.poll()) {
            letter.run();
        }
    }

    private void awaitAnswer() {
        await().untilAsserted(() -> {
            readLetters();
            assertThat(answers).isNotEmpty();
        });
    }

    @Test
    void whatIsWorkedOutAsideIsNoAnswerOfRedis() {
        trouble.failed(new StoreUnreachableException("away", null));
        calls.aside(() -> "worked out", answers::add);
        awaitAnswer();
        assertThat(answers).containsExactly("worked out");
        assertThat(trouble.message()).isPresent();
    }

    @Test
    void aFaultOfWhatIsWorkedOutAsideIsTheEngines() {
        calls.aside(
                () -> {
                    throw new IllegalStateException("broken");
                },
                answer -> answers.add("answered"));
        awaitAnswer();
        assertThat(answers).singleElement().asString().contains("broken");
    }

    @Test
    void anAnswerComesThroughTheMailbox() {
        call();
        assertThat(calls.turn(0)).isEqualTo(ANSWER_BY);
        reply.complete("sent");
        assertThat(answers).as("before a letter is read").isEmpty();
        readLetters();
        assertThat(answers).containsExactly("sent");
        assertThat(calls.turn(ANSWER_BY)).isEqualTo(Long.MAX_VALUE);
        assertThat(repeated).hasValue(0);
    }

    @Test
    void aCallWithoutAnAnswerIsRepeatedAndItsLateAnswerDropped() {
        call();
        assertThat(calls.turn(ANSWER_BY)).isEqualTo(Long.MAX_VALUE);
        reply.complete("late");
        assertThat(discarded).as("connections ended").hasValue(1);
        readLetters();
        assertThat(stats.of(Counter.RETRIES)).isEqualTo(1);
        awaitAnswer();
        assertThat(answers).containsExactly("repeated");
        assertThat(trouble.message()).isEmpty();
    }

    @Test
    void aConnectionThatBrokeIsTroubleAndTheCallRepeated() {
        call();
        reply.completeExceptionally(new StoreUnreachableException("broken", null));
        awaitAnswer();
        assertThat(answers).containsExactly("repeated");
        assertThat(stats.of(Counter.RETRIES)).isEqualTo(1);
    }

    @Test
    void aRefusalIsTheRepetitionsToJudge() {
        call();
        reply.completeExceptionally(new StoreRefusedException(StoreRefusedException.Kind.SLOT_MOVES, "moves", null));
        awaitAnswer();
        assertThat(answers).containsExactly("repeated");
        assertThat(stats.of(Counter.RETRIES)).isZero();
    }

    @Test
    void nobodyRepeatsWhatNobodyWants() {
        call();
        wanted = false;
        reply.completeExceptionally(new StoreUnreachableException("broken", null));
        readLetters();
        assertThat(repeated).hasValue(0);
        assertThat(answers).isEmpty();
    }

    @Test
    void withoutAConnectionTheCallHasAThread() {
        calls.untilAnswered(Optional::<SentCall<String>>empty, () -> "dialled", () -> true, answers::add);
        awaitAnswer();
        assertThat(answers).containsExactly("dialled");
    }

    @Test
    void eachCallIsGivenUpInItsOwnTime() {
        SentCall<String> patient =
                SentCall.of(new CompletableFuture<String>(), 2 * ANSWER_BY, discarded::incrementAndGet);
        calls.untilAnswered(() -> Optional.of(patient), () -> "repeated", () -> wanted, answers::add);
        call();
        assertThat(calls.turn(0)).isEqualTo(ANSWER_BY);
        assertThat(calls.turn(ANSWER_BY)).as("left to the patient one").isEqualTo(ANSWER_BY);
        assertThat(discarded).hasValue(1);
        assertThat(calls.turn(2 * ANSWER_BY)).isEqualTo(Long.MAX_VALUE);
        assertThat(discarded).hasValue(2);
    }

    @Test
    void anAnswerThatCanWaitWakesNobody() {
        calls.untilAnswered(
                () -> Optional.of(SentCall.of(reply, ANSWER_BY, discarded::incrementAndGet)),
                () -> "repeated",
                () -> wanted,
                "urgent"::equals,
                answers::add);
        reply.complete("sent");
        assertThat(woken).hasValue(0);
        readLetters();
        assertThat(answers).containsExactly("sent");
        assertThat(calls.turn(ANSWER_BY)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void anErrorOfACallIsReportedLikeAnyFault() {
        calls.untilAnswered(
                () -> {
                    throw new AssertionError("broken");
                },
                () -> wanted,
                (String answer) -> answers.add(answer));
        awaitAnswer();
        assertThat(answers).singleElement().asString().contains("a call to Redis ended", "broken");
    }
}
