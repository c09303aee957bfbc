package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.slots.rig.AgentPod;

/**
 * The things that a hostile executor can write: words, results, names, files. The board lives, reads nothing but the
 * slot's own output, says what it found, and works with the next honest agent.
 */
@Execution(ExecutionMode.CONCURRENT)
class DistrustIT {
    private AgentPod pod;
    private Puppet puppet;

    @BeforeEach
    void start() {
        pod = AgentPod.bare(new Geometry(2, 8192, 8192));
        pod.startBoard(BoardConfig.Start.FRESH);
        puppet = Puppet.of(pod).connected(pod);
    }

    @AfterEach
    void stop() {
        puppet.close();
        pod.close();
    }

    private Violation violation(Violation.Kind kind) {
        return pod.await(SlotEvent.Violated.class, event -> event.violation().kind() == kind)
                .violation();
    }

    /** The proof that the board lives: an honest agent takes over, and each slot works. */
    private void worksWithAnHonestAgent() {
        puppet.close();
        pod.startAgent(Map.of());
        pod.await(SlotEvent.AgentArrived.class);
        pod.awaitAllReady();
        for (int slot = 0; slot < 2; slot++) {
            int number = slot;
            pod.dispatch(slot, Assignment.of("t", Command.of("true")));
            SlotResult result = pod.await(
                            SlotEvent.Finished.class,
                            finished -> finished.result().slot() == number)
                    .result();
            assertThat(result.passed()).isTrue();
            pod.board().acknowledge(slot, result.generation());
        }
    }

    @Test
    void takesAnHonestResultOfAnExecutorInAnyLanguage() {
        SlotResult result = puppet.result(pod, 0);
        assertThat(result.passed()).isTrue();
        assertThat(pod.output(result)).isEqualTo("hello");
        pod.board().acknowledge(0, result.generation());
        puppet.does("clean 0");
        pod.await(SlotEvent.Ready.class);
    }

    @ParameterizedTest
    @CsvSource({
        "store 0 1 2, U ran backwards",
        "store 0 9 1, the executor is ahead",
        "store 0 1 77, unknown code",
        "store 0 1 5, not a state of the protocol",
        "store 0 1 1, the executor dropped its task",
        // A board that met (1, running) before the hole calls the zeros a way back.
        "punch, unknown code|U ran backwards"
    })
    void saysThatAWordIsAgainstTheTable(String deed, String words) {
        pod.dispatch(0, Assignment.of("t", HandlerCall.of("f")));
        puppet.does("begin 0");
        if (words.equals("U ran backwards")) {
            puppet.does("end 0");
            pod.await(SlotEvent.Finished.class);
        }
        puppet.does(deed);
        Violation found = violation(Violation.Kind.WORDS);
        assertThat(found.slot()).isZero();
        assertThat(found.text()).containsPattern(words);
        assertThat(pod.board().dispatch(0, Assignment.of("t", Command.of("true"))))
                .isInstanceOf(Dispatch.NotFree.class);
        worksWithAnHonestAgent();
    }

    @ParameterizedTest
    @CsvSource({
        "put 0 32 Q 8193, outLength is 8193",
        "put 0 32 Q 18446744073709551615, outLength is -1",
        "put 0 40 I 7, format is 7",
        "put 0 44 I 99, reason is 99",
        "put 0 52 I 65, signal is 65",
        "put 0 16 Q 1, started is",
        "put 0 24 Q 1, ended is",
        "put 0 72 Q 18446744073709551615, stdout bytes is -1",
        "put 0 96 Q 9223372036854775808, total is",
        "put 0 112 Q 9223372036854775807, retryAfterMs is",
        "put 0 124 I 129, messageLength is 129"
    })
    void saysThatAFieldOfAResultIsOutsideItsBound(String deed, String words) {
        pod.dispatch(0, Assignment.of("t", HandlerCall.of("f")));
        puppet.does("begin 0");
        puppet.does("store 0 1 2");
        puppet.does("put 0 24 Q " + System.nanoTime());
        puppet.does(deed);
        puppet.does("store 0 1 3");
        puppet.does("ring");
        assertThat(violation(Violation.Kind.RESULT).text()).contains(words);
        worksWithAnHonestAgent();
    }

    /** Slot 0's first outcome lies behind the records of both slots: at 512 from its own. */
    @ParameterizedTest
    @CsvSource({
        "put 0 12 I 0, done is 0",
        "put 0 12 I 3, done is 3",
        "put 0 512 Q 1, ended of an outcome is -",
        "put 0 512 Q 9223372036854775807, ended of an outcome is",
        "put 0 520 Q 8193, outOffset of an outcome is 8193",
        "put 0 528 Q 8193, outLength is 8193",
        "put 0 536 Q 9223372036854775807, retryAfterMs is",
        "put 0 544 I 7, format is 7",
        "put 0 548 I 99, reason is 99",
        "put 0 552 I 129, messageLength is 129"
    })
    void saysThatAOutcomeOfABatchIsOutsideItsBound(String deed, String words) {
        Assignment call = Assignment.of("t", HandlerCall.of("f"));
        assertThat(pod.board().dispatch(0, List.of(call, call))).isInstanceOf(Dispatch.Accepted.class);
        puppet.does("begin 0");
        puppet.does("store 0 1 2");
        long now = System.nanoTime();
        puppet.does("put 0 24 Q " + now);
        puppet.does("put 0 512 Q " + now);
        puppet.does("put 0 12 I 1");
        puppet.does(deed);
        puppet.does("store 0 1 3");
        puppet.does("ring");
        assertThat(violation(Violation.Kind.RESULT).text()).contains(words);
        worksWithAnHonestAgent();
    }

    @Test
    void makesValidTextOfBrokenUtf8() {
        pod.dispatch(0, Assignment.of("t", HandlerCall.of("f")));
        puppet.does("begin 0");
        puppet.does("put 0 124 IQ 8 0x0720C3FFC0AFFEED");
        puppet.does("end 0 0");
        SlotResult result = pod.await(SlotEvent.Finished.class).result();
        assertThat(result.reason()).isEqualTo(Reason.EXCEPTION);
        assertThat(result.message().codePoints()).allMatch(c -> c >= ' ');
        assertThat(result.message()).contains("\uFFFD");
    }

    @ParameterizedTest
    @ValueSource(strings = {"gone", "symlink", "fifo", "folder", "socket", "second-name", "cut", "grow"})
    void refusesAnOutputThatIsNotThePlainFileThatWasAnnounced(String what) {
        SlotResult result = puppet.result(pod, 0);
        puppet.does("swap 0 " + what);
        FileRead read = pod.board().output(result);
        assertThat(read).isInstanceOf(FileRead.Refused.class);
        Violation found = ((FileRead.Refused) read).violation();
        assertThat(found.kind()).isEqualTo(Violation.Kind.FILE);
        assertThat(found.text()).contains("task-0.out");
        assertThat(pod.board().acknowledge(0, result.generation())).isTrue();
        worksWithAnHonestAgent();
    }

    @Test
    void readsNothingButTheSlotsOwnOutputHoweverOftenItIsSwapped() {
        SlotResult result = puppet.result(pod, 0);
        puppet.begins("race 0 2.0");
        long until = System.nanoTime() + Duration.ofSeconds(2).toNanos();
        int reads = 0;
        while (System.nanoTime() < until) {
            if (pod.board().output(result) instanceof FileRead.Content(byte[] bytes)) {
                assertThat(new String(bytes, StandardCharsets.UTF_8)).isIn("hello", "");
                reads++;
            }
        }
        puppet.ends("race");
        assertThat(pod.output(result)).isEqualTo("hello");
        assertThat(reads).isPositive();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void livesThroughRandomBytesInEveryPlace(long seed) {
        pod.dispatch(0, Assignment.of("t", HandlerCall.of("f")));
        pod.dispatch(1, Assignment.of("t", HandlerCall.of("f")));
        puppet.begins("flip " + seed + " 1.5");
        // Of its words or of its result, whichever the board meets first: a slot that was set aside reports no more.
        pod.await(SlotEvent.Violated.class, event -> event.violation().slot() >= 0);
        long generation = 1;
        while (!pod.board().snapshot(0).isPresent() && generation < 1000) {
            pod.board().cancel(0, generation++); // whatever is asked of it meanwhile
        }
        puppet.ends("flip");
        worksWithAnHonestAgent();
    }

    @ParameterizedTest
    @CsvSource({
        "2, 3825, 61, handlersLength is 3825",
        "2, 4294967295, 61, handlersLength is 4294967295",
        "2, 2, 61C3, not valid UTF-8",
        "2, 3, 610A0A, has 0 bytes",
        "2, 1, 07, control character"
    })
    void saysThatTheAnnouncedHandlersAreNoNames(int sequence, long length, String bytes, String words) {
        puppet.does("names " + sequence + " " + length + " " + bytes);
        assertThat(violation(Violation.Kind.HANDLERS).text()).contains(words);
        puppet.does("names 4 1 61");
        assertThat(pod.await(SlotEvent.HandlersAnnounced.class).names()).containsExactly("a");
    }

    @Test
    void readsNoNamesWhileTheyAreWritten() {
        String names = HexFormat.of().formatHex("sum\nécho".getBytes(StandardCharsets.UTF_8));
        puppet.does("names 3 9 " + names);
        puppet.does("names 4 9 " + names);
        assertThat(pod.await(SlotEvent.HandlersAnnounced.class).names()).isEqualTo(List.of("sum", "écho"));
        puppet.does("names 6 0 00");
        assertThat(pod.await(SlotEvent.HandlersAnnounced.class).names()).isEmpty();
    }

    @Test
    void hearsAgainWhatIsServedFromAnAgentThatWasAwayForLong() {
        puppet.does("names 2 1 61");
        assertThat(pod.await(SlotEvent.HandlersAnnounced.class).names()).containsExactly("a");
        puppet.does("hang_up");
        assertThat(pod.await(SlotEvent.HandlersAnnounced.class).names()).isEmpty();
        puppet.does("come_back");
        assertThat(pod.await(SlotEvent.HandlersAnnounced.class).names()).containsExactly("a");
    }
}
