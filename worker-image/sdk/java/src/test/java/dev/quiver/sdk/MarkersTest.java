package dev.quiver.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Markers of an answer are checked when it is made, by the bounds of the worker and of Python. */
class MarkersTest {

    private static Done with(Map<String, String> markers) throws DoNotRetryException {
        return Done.of(null).changing(List.of(), markers);
    }

    private static String eight(String last) {
        return "[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\"," + last + "]";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"args\":[1,{\"a\":[\"$(results.x) \"]}],\"count\":64,\"parallel\":false,\"relPriority\":-99999}",
                "{\"tags\":[\"~\",\"a\\\\\"],\"fairnessKey\":\"\\u0061\",\"name\":\"grün\",\"contingency\":true}",
                "{\"maxTrials\":100,\"activeDeadlineSeconds\":2147483647,\"backoff\":{}}",
                "{\"backoff\":{\"initialSeconds\":0,\"factor\":10,\"maxSeconds\":604800,\"jitterPercent\":100}}",
                "{\"resources\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\"],\"parallel\":true}",
                "{\"resources\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"7\"]}",
                "{\"c\\u006funt\":2, \"tags\": [ ] }",
            })
    void aMarkerMaySayWhatTheWorkerTakes(String marker) throws Exception {
        assertThat(with(Map.of("m", marker)).markers()).containsEntry("m", marker);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[]                    | Done: markers: m: not a JSON object: ",
                "{\"handler\":\"h\"}     | Done: markers: m: handler is \"h\", which is no field of a marker",
                "{\"complexKey\":\"k\"}  | m: complexKey is \"k\", which is no field",
                "{\"count\":0}           | Done: markers: m: count is 0, a whole number from 1 to 64 is needed",
                "{\"count\":65}          | count is 65,",
                "{\"count\":\"2\"}       | count is \"2\",",
                "{\"count\":2.0}         | count is 2.0,",
                "{\"c\\u006funt\":true}  | count is true,",
                "{\"parallel\":\"no\"}   | m: parallel is \"no\", true or false is needed",
                "{\"contingency\":1}     | m: contingency is 1, true or false is needed",
                "{\"args\":7}            | m: args is 7, an array is needed",
                "{\"args\":[\"$(results.x)\"]} | m: args has $(results.x), and no node is called so",
                "{\"args\":[\"\\u0024(results.x)\"]} | m: args has $(results.x), and no node is called so",
                "{\"relPriority\":-100000} | relPriority is -100000, a whole number from -99999 to 99999 is needed",
                "{\"relPriority\":null}  | relPriority is null,",
                "{\"relPriority\":99999999999999999999} | relPriority is 99999999999999999999,",
                "{\"tags\":\"a\"}        | m: tags is \"a\", an array is needed",
                "{\"tags\":[\"a b\"]}    | m: tags has \"a b\", 1 to 128 printable characters of ASCII without blanks",
                "{\"tags\":[7]}          | m: tags has 7, 1 to 128",
                "{\"resources\":[\"\"]}  | m: resources has \"\", 1 to 128",
                "{\"fairnessKey\":\"ü\"} | m: fairnessKey has \"ü\", 1 to 128",
                "{\"maxTrials\":0}       | m: maxTrials is 0, a whole number from 1 to 100 is needed",
                "{\"maxTrials\":101}     | m: maxTrials is 101,",
                "{\"activeDeadlineSeconds\":0} | m: activeDeadlineSeconds is 0, a whole number from 1 to 2147483647",
                "{\"activeDeadlineSeconds\":2147483648} | activeDeadlineSeconds is 2147483648,",
                "{\"name\":7}            | m: name is 7, a text is needed",
                "{\"backoff\":60}        | m: backoff is 60, an object is needed",
                "{\"backoff\":{\"factor\":0}} | m: backoff.factor is 0, a whole number from 1 to 10 is needed",
                "{\"backoff\":{\"initialSeconds\":604801}} | m: backoff.initialSeconds is 604801,",
                "{\"backoff\":{\"maxSeconds\":-1}} | m: backoff.maxSeconds is -1,",
                "{\"backoff\":{\"jitterPercent\":101}} | m: backoff.jitterPercent is 101,",
                "{\"backoff\":{\"seconds\":1}} | m: backoff.seconds is 1, which is no field of a backoff",
            })
    void anythingElseIsRefusedWithFieldAndValue(String marker, String words) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> with(Map.of("m", marker)))
                .withMessageContaining(words);
    }

    @Test
    void aMarkerThatTakesTurnsHasOneResourceLess() throws Exception {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> with(Map.of("m", "{\"resources\":" + eight("\"8\"") + "}")))
                .withMessage("Done: markers: m: resources has 8 names, at most 7 are allowed without parallel");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> with(Map.of("m", "{\"parallel\":true,\"resources\":" + eight("\"8\",\"9\"") + "}")))
                .withMessage("Done: markers: m: resources has 9 names, at most 8 are allowed");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> with(Map.of("m", "{\"tags\":" + eight("\"8\",\"9\"") + "}")))
                .withMessage("Done: markers: m: tags has 9 names, at most 8 are allowed");
    }

    @Test
    void anIdIsAName() {
        for (String id : List.of("", "a b", "ü", "x".repeat(129))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> with(Map.of(id, "{}")))
                    .withMessageContaining("markers has the name \"" + id + "\"");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> with(Collections.singletonMap(null, "{}")))
                .withMessageContaining("markers has the name \"null\"");
    }

    @Test
    void aTextHasWholeCharacters() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> with(Map.of("m", "{\"args\":[\"\ud800\"]}")))
                .withMessageContaining("Done: markers: m has half of a surrogate pair");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Change.set("a", "\"\udc00\""))
                .withMessageContaining("state: a has half of a surrogate pair");
    }

    @Test
    void thereAre64TasksOfThemAtMost() throws Exception {
        Map<String, String> many = IntStream.range(0, 64)
                .boxed()
                .collect(Collectors.toMap(i -> "m" + i, i -> "{}", (a, b) -> a, HashMap::new));
        assertThat(with(many).markers()).hasSize(64);
        many.put("m0", "{\"count\":2}");
        assertThatThrownBy(() -> with(many))
                .isInstanceOf(DoNotRetryException.class)
                .hasMessage("Done: markers has 64 names and 65 tasks of them, at most 64 are taken");
        many.put("m0", null);
        many.put("m64", null);
        assertThatThrownBy(() -> with(many))
                .isInstanceOf(DoNotRetryException.class)
                .hasMessage("Done: markers has 65 names and 63 tasks of them, at most 64 are taken");
    }

    @Test
    void eachOfItsTasksHasTheMarker() throws Exception {
        int frame = "{\"args\":[\"\"],\"count\":32}".length();
        assertThat(with(Map.of("m", "{\"args\":[\"" + "x".repeat(4096 - frame) + "\"],\"count\":32}"))
                        .markers())
                .hasSize(1);
        assertThatThrownBy(() -> with(Map.of("m", "{\"args\":[\"" + "x".repeat(4097 - frame) + "\"],\"count\":32}")))
                .isInstanceOf(DoNotRetryException.class)
                .hasMessage("Done: the tasks of markers have 131104 bytes of JSON, at most 131072 are taken");
    }

    @Test
    void aChangeIsOneOfThree() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Change("push", "a", Optional.of("1"), Optional.empty()))
                .withMessage("a change is \"push\", set, delete or add is needed");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Change("delete", "a", Optional.of("1"), Optional.empty()))
                .withMessage("delete: the value for \"a\" is 1, a delete has none");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Change("add", "a", Optional.of("[1]"), Optional.empty()))
                .withMessage("add: the value for \"a\" is [1], a number is needed");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Change.set("a", null))
                .withMessage("set: the value for \"a\" is null, the text of a JSON value is needed");
        assertThatThrownBy(() -> Change.delete("a").expecting(null)).hasMessageContaining("state: a: expect is null");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Change.delete("a").expecting("NaN"))
                .withMessageContaining("state: a: expect: not a JSON value");
    }
}
