package dev.quiver.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComplexHandlerTest {

    private static final List<String> UNDO = List.of("{\"handler\":\"u\"}");

    /** Merges, and has a first state for the key {@code first}. */
    private static final class Flags implements ComplexHandler {

        @Override
        public Map<String, String> init(String key) {
            if (key.startsWith("odd")) {
                return Map.of("seq", key.substring(3));
            }
            return key.equals("first") ? new java.util.TreeMap<>(Map.of("seq", "1", "gone", "true")) : Map.of();
        }

        @Override
        public Done plan(Kept kept, Task task) throws DoNotRetryException {
            return switch (kept.args().getFirst()) {
                case "\"none\"" -> null;
                case "\"undo\"" -> Done.of(null).changing(List.of(), Map.of()).undoing(UNDO);
                case "\"expect\"" ->
                    Done.of(null)
                            .changing(
                                    List.of(Change.set("seq", "2")
                                            .expecting(kept.args().get(1))),
                                    Map.of())
                            .undoing(UNDO);
                case "\"first\"" ->
                    Done.of(null)
                            .changing(
                                    List.of(
                                            Change.add("seq", "4"),
                                            Change.delete("gone").expecting("true"),
                                            Change.set("x", "1")),
                                    Map.of());
                default -> {
                    Map<String, String> markers = new HashMap<>();
                    markers.put("m", "{\"count\":2}");
                    yield Done.of("[" + kept.key() + "]".replace("k", "7"), List.of("{\"handler\":\"g\"}"))
                            .changing(List.of(Change.set("a", "[1]").expecting("null")), markers);
                }
            };
        }

        @Override
        public Output execute(Kept kept, Task task) throws DoNotRetryException {
            return kept.marker().orElseThrow().equals("plain")
                    ? Done.of(kept.state().get("a\"b"))
                    : Done.of(null).changing(List.of(Change.delete("a")), Collections.singletonMap("m", null));
        }

        @Override
        public boolean hasContingency() {
            return true;
        }

        @Override
        public Optional<Done> wasDone(Kept kept, Task task) throws DoNotRetryException {
            return kept.marker().orElseThrow().equals("redo")
                    ? Optional.empty()
                    : Optional.of(Done.of("1").changing(List.of(Change.delete("a")), Map.of()));
        }
    }

    private static final Map<String, Handler> SERVED =
            Beside.served(Map.of("flags", ComplexHandler.serving(new Flags())));

    private static String text(Output output) throws Exception {
        assertThat(output.format()).isEqualTo(Format.EFFECTS);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        output.writeTo(Channels.newChannel(bytes));
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void itIsServedUnderThreeNames() {
        assertThat(SERVED.keySet()).containsExactly("flags", "flags#plan", "flags#contingency");
    }

    @ParameterizedTest
    @CsvSource({
        "true, 'the first state has true as seq, a number is needed'",
        "9007199254740990, 'seq would be too large, whole numbers up to 9007199254740991 are allowed'",
    })
    void aFirstStateIsAddedToAsRedisDoes(String seq, String words) {
        Kept none = new Kept("odd" + seq, Map.of(), Optional.empty(), Map.of(), List.of("\"first\""));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FirstState.plan(new Flags(), none, null))
                .withMessageContaining(words);
    }

    private static Done expecting(String seq, String expected) throws Exception {
        return FirstState.plan(
                new Flags(),
                new Kept("odd" + seq, Map.of(), Optional.empty(), Map.of(), List.of("\"expect\"", expected)),
                null);
    }

    @ParameterizedTest
    @CsvSource({"1, 1.0", "1.50, 1.5", "'{\"a\":1,\"b\":2}', '{\"b\": 2, \"a\": 1}'"})
    void aFirstStateHasWhatIsExpectedAsRedisTellsIt(String seq, String expected) throws Exception {
        assertThat(text(expecting(seq, expected).ofComplexPlan()))
                .isEqualTo("{\"done\":true,\"undo\":[{\"handler\":\"u\"}],"
                        + "\"state\":[{\"set\":\"seq\",\"value\":2,\"expect\":null}]}");
    }

    @ParameterizedTest
    @CsvSource({"1, true", "1, 2", "[1], [1.0]", "1, null"})
    void anotherFirstStateThanIsExpectedIsAnError(String seq, String expected) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> expecting(seq, expected))
                .withMessage("the plan expects " + expected + " of seq, and the first state has " + seq);
    }

    @ParameterizedTest
    @CsvSource({"1.5, 5.5", "0.1, 4.1", "1e2, 104.0"})
    void aSumOfOtherThanWholeNumbersIsADouble(String seq, String sum) throws Exception {
        Kept none = new Kept("odd" + seq, Map.of(), Optional.empty(), Map.of(), List.of("\"first\""));
        assertThat(FirstState.plan(new Flags(), none, null).changes())
                .contains(Change.set("seq", sum).expecting("null"));
    }

    @Test
    void aFirstStateIsCheckedBeforeThePlanSeesIt() {
        for (String value : new String[] {null, "NaN"}) {
            ComplexHandler first = new ComplexHandler() {
                @Override
                public Map<String, String> init(String key) {
                    return Collections.singletonMap("seq", value);
                }

                @Override
                public Done plan(Kept kept, Task task) {
                    throw new AssertionError(kept);
                }

                @Override
                public Output execute(Kept kept, Task task) {
                    return null;
                }
            };
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> FirstState.plan(
                            first, new Kept("k", Map.of(), Optional.empty(), Map.of(), List.of()), null))
                    .withMessageContaining("seq");
        }
    }

    @Test
    void aPlanAloneLeavesWhatWouldUndoIt() throws Exception {
        Kept kept = new Kept("k", Map.of(), Optional.empty(), Map.of(), List.of("\"undo\""));
        Done done = new Flags().plan(kept, null);
        assertThat(done.undo()).isEqualTo(UNDO);
        assertThat(text(done.ofComplexPlan())).isEqualTo("{\"done\":true,\"undo\":[{\"handler\":\"u\"}]}");
        assertThat(text(done.undoing(List.of()).ofComplexPlan())).isEqualTo("{\"done\":true}");
        assertThatThrownBy(done::ofExecution)
                .hasMessage("Done: undo is of a plan: a function changes nothing before it is executed");
        assertThatThrownBy(done::length).hasMessageStartingWith("Done: undo is of a plan: a function");
        for (ThrowingCallable contingency :
                List.<ThrowingCallable>of(done::ofComplexContingency, done::ofContingency)) {
            assertThatThrownBy(contingency).hasMessage("Done: undo is of a plan: a contingency changes nothing");
        }
        assertThat(text(Plan.done(done).output())).isEqualTo("{\"done\":true,\"undo\":[{\"handler\":\"u\"}]}");
        assertThat(text(Plan.done(done, List.of("{\"handler\":\"v\"}")).output()))
                .isEqualTo("{\"done\":true,\"undo\":[{\"handler\":\"v\"}]}");
        assertThatThrownBy(() -> Done.of(null).undoing(Collections.nCopies(65, UNDO.getFirst())))
                .isInstanceOf(DoNotRetryException.class)
                .hasMessage("Done: undo has 65 elements, at most 64 are taken");
        assertThatThrownBy(() -> Done.of(null)
                        .undoing(List.of("{\"handler\":\"f\",\"args\":[\"" + "x".repeat(16 * 1024) + "\"]}")))
                .isInstanceOf(DoNotRetryException.class)
                .hasMessageContaining("bytes of JSON, at most 16384 are taken");
    }

    @Test
    void requestsNameIt() {
        Handler flags = ComplexHandler.serving(new Flags());
        assertThat(Beside.served(Map.of("~".repeat(116), flags))).hasSize(3);
        for (String name : List.of("", "a b", "flägs", "x".repeat(117))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Handlers.serve(Map.of(name, flags)))
                    .withMessage("the name of a complex task has 1 to 116 printable characters of ASCII without blanks,"
                            + " not \"" + name + "\"");
        }
    }

    @Test
    void theFirstPlanWritesTheFirstStateAsItChangesIt() throws Exception {
        Kept none = new Kept("first", Map.of(), Optional.empty(), Map.of(), List.of("\"first\""));
        assertThat(text(FirstState.plan(new Flags(), none, null).ofComplexPlan()))
                .isEqualTo("{\"done\":true,\"state\":[{\"set\":\"seq\",\"value\":5,\"expect\":null},"
                        + "{\"set\":\"x\",\"value\":1}]}");
        Kept some = new Kept("first", Map.of("seq", "1"), Optional.empty(), Map.of(), List.of("\"none\""));
        assertThat(text(FirstState.plan(new Flags(), some, null).ofComplexPlan()))
                .isEqualTo("{\"done\":true}");
    }

    @Test
    void anAnswerHasWhatItChanges() throws Exception {
        Kept kept = new Kept("k", Map.of("a\"b", "7"), Optional.of("m"), Map.of(), List.of("1"));
        assertThat(text(((Done) new Flags().execute(kept, null)).ofExecution()))
                .isEqualTo("{\"state\":[{\"delete\":\"a\"}],\"markers\":{\"m\":null}}");
        assertThat(text(new Flags().wasDone(kept, null).orElseThrow().ofComplexPlan()))
                .isEqualTo("{\"done\":true,\"result\":1,\"state\":[{\"delete\":\"a\"}]}");
        Done both = Done.of("1", List.of("{\"handler\":\"g\"}"))
                .changing(List.of(Change.add("n", "-1.5")), Map.of("m", "{\"args\":[1]}"));
        assertThat(text(both.ofExecution()))
                .isEqualTo("{\"result\":1,\"tasks\":[{\"handler\":\"g\"}],\"state\":[{\"add\":\"n\",\"value\":-1.5}],"
                        + "\"markers\":{\"m\":{\"args\":[1]}}}");
        assertThatThrownBy(both::length).hasMessageContaining("are of a complex task");
    }

    private static Kept kept(String arguments, boolean plans) {
        return Kept.of(InputFixture.of(arguments, Format.ARGUMENTS.ordinal(), false), plans, "flags");
    }

    @Test
    void theLastArgumentIsWhatTheWorkerHasRead() {
        Kept marker = kept("[7,{\"key\":\"a\\\\b\",\"marker\":\"m\\\"\",\"state\":{\"f\\\"\":[1]}}]", false);
        assertThat(marker)
                .isEqualTo(new Kept("a\\b", Map.of("f\"", "[1]"), Optional.of("m\""), Map.of(), List.of("7")));
        assertThat(kept("[{\"key\":\"k\",\"state\":{},\"markers\":{\"m\":{\"left\":1}}}]", true)
                        .markers())
                .isEqualTo(Map.of("m", "{\"left\":1}"));
        for (String foreign : List.of("[]", "[1]", "[{\"state\":{}}]")) {
            assertThatThrownBy(() -> kept(foreign, true))
                    .isInstanceOf(InputInvalidException.class)
                    .hasMessageContaining("a call of it needs complexKey");
        }
    }

    private static Task task(String handler) {
        TaskRecord record = new TaskRecord();
        for (long place : List.of(64L, 72L)) { // of handler and name
            record.memory.set(ValueLayout.ADDRESS, place, Arena.ofAuto().allocateFrom(handler));
        }
        return new Task(null, record);
    }

    /** It would be in doubt for ever. */
    @ParameterizedTest
    @CsvSource({"bare, true", "bare#plan, true", "bare, false", "bare#plan, false"})
    void aMarkerAsksNoContingencyThatNobodyServes(String name, boolean asked) throws Exception {
        Map<String, String> markers = new HashMap<>();
        markers.put("m", "{\"contingency\":" + asked + "}");
        markers.put("n", null);
        Done done = Done.of(null).changing(List.of(), markers);
        Handler bare = Beside.served(Map.of("bare", ComplexHandler.serving(new ComplexHandler() {
                    @Override
                    public Done plan(Kept kept, Task task) {
                        return done;
                    }

                    @Override
                    public Output execute(Kept kept, Task task) {
                        return done;
                    }
                })))
                .get(name);
        Input kept = InputFixture.of(
                "[{\"key\":\"k\",\"state\":{},\"markers\":{},\"marker\":\"x\"}]", Format.ARGUMENTS.ordinal(), false);
        Task task = task(name);
        if (asked) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> bare.handle(kept, task))
                    .withMessageStartingWith("Done: markers: m: contingency is true, and the complex task ")
                    .withMessageEndingWith(" has none: hasContingency is false");
        } else {
            assertThat(text(bare.handle(kept, task))).contains("\"m\":{\"contingency\":false}");
        }
    }

    @Test
    void whatCannotBeIsRefusedWhenItIsMade() {
        Done done = Done.of(null);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Change.set("a b", "1"))
                .withMessageContaining("state has the name \"a b\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Change.add("a", "\"1\""))
                .withMessageContaining("a number is needed");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> done.changing(List.of(Change.delete("a"), Change.set("a", "1")), Map.of()))
                .withMessageContaining("\"a\" twice");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> done.changing(List.of(), Map.of("m", "[]")))
                .withMessageContaining("Done: markers: m");
        assertThatThrownBy(() -> done.changing(
                        IntStream.range(0, 1025)
                                .mapToObj(i -> Change.delete("f" + i))
                                .toList(),
                        Map.of()))
                .isInstanceOf(DoNotRetryException.class)
                .hasMessageContaining("1025 changes, at most 1024");
    }
}
