package dev.quiver.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IterationTest {
    private static Iteration of(String text) {
        return Iteration.of(InputFixture.of(text, Format.ARGUMENTS.ordinal(), false));
    }

    @Test
    void aCallTellsHowFarTheIteratorIs() {
        assertThat(of("[{\"state\":{\"at\": 9},\"created\":4,\"finished\":3,\"room\":7,\"args\":[1,\"a\"],\"new\":0}]"))
                .isEqualTo(new Iteration("{\"at\": 9}", 4, 3, 7, List.of("1", "\"a\"")));
        assertThat(of("[{\"state\":null,\"created\":0,\"finished\":0,\"room\":10000,\"args\":[]}]"))
                .isEqualTo(new Iteration("null", 0, 0, 500, List.of()));
        assertThat(of("[{\"state\":3,\"makes\":\"chunks\",\"created\":3,\"finished\":3,\"room\":10000,\"args\":[]}]"))
                .isEqualTo(new Iteration("3", 3, 3, 10_000, List.of()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "[1]",
                "[{}]",
                "[{},{}]",
                "[{\"state\":null,\"created\":0,\"finished\":0,\"args\":[]}]",
                "[{\"state\":null,\"created\":\"0\",\"finished\":0,\"room\":1,\"args\":[]}]"
            })
    void anotherCallIsRefused(String text) {
        assertThatThrownBy(() -> of(text))
                .isInstanceOf(InputInvalidException.class)
                .hasMessage("the handler is an iterator: only the iterator of a Task calls it");
    }

    @Test
    void anInputIsNoCallOfAnIterator() {
        assertThatThrownBy(() -> Iteration.of(InputFixture.of("{}", Format.JSON.ordinal(), false)))
                .isInstanceOf(InputInvalidException.class);
        assertThatThrownBy(() -> of("[{\"state\":null,\"created\":0,\"finished\":0,\"room\":1,\"args\":{}}]"))
                .isInstanceOf(InputInvalidException.class);
    }

    @Test
    void anAnswerIsJson() {
        assertThat(Iteration.more("{\"at\":2}", List.of("{\"handler\":\"a\"}", "{\"handler\":\"b\"}")))
                .isEqualTo("{\"state\":{\"at\":2},\"tasks\":[{\"handler\":\"a\"},{\"handler\":\"b\"}]}");
        assertThat(Iteration.more("null", List.of())).isEqualTo("{\"state\":null,\"tasks\":[]}");
        assertThat(Iteration.page("2", List.of("1", "{}"))).isEqualTo("{\"state\":2,\"chunks\":[1,{}]}");
        assertThat(Iteration.result("[1]")).isEqualTo("{\"result\":[1]}");
    }

    @Test
    void whatIsNoStateNoTaskAndNoChunkIsRefused() {
        assertThatThrownBy(() -> Iteration.more("at 2", List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Iteration: state: not a JSON value: ");
        assertThatThrownBy(() -> Iteration.more("2", List.of("{\"handler\":\"a\"}", "{\"args\":[]}")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Iteration: tasks[1]: an object of args is no task: ");
        assertThatThrownBy(() -> Iteration.page("2", List.of("1", "")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Iteration: chunks[1]: not a JSON value: ");
        assertThatThrownBy(() -> Iteration.result("a")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anAnswerFitsIntoTheRoomOfItsCall() throws Exception {
        Iteration call = new Iteration("null", 0, 0, 1, List.of());
        call.check("rows", Iteration.more("1", List.of("{\"handler\":\"a\"}")));
        call.check("rows", Iteration.DONE);
        call.check("rows", Iteration.LATER);
        call.check("rows", Iteration.result("7"));
        call.check("rows", Iteration.page("1", List.of("\"" + "x".repeat(100_000) + "\"")));
        assertThatThrownBy(() -> call.check("rows", Iteration.page("1", List.of("1", "2"))))
                .isInstanceOf(DoNotRetryException.class)
                .hasMessage("iterator \"rows\" answered 2 chunks, it.room is 1");
        assertThatThrownBy(() -> call.check("rows", "{\"state\":\"" + "x".repeat(65_525) + "\"}"))
                .isInstanceOf(DoNotRetryException.class)
                .hasMessage("iterator \"rows\" answered 65537 bytes, at most 65536 are taken");
        assertThatThrownBy(() -> call.check("rows", "{\"state\":1,\"result\":2}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("iterator \"rows\" answered {\"state\":1,\"result\":2}: it answers DONE");
        assertThatThrownBy(() -> call.check("rows", "{\"tasks\":[{\"chain\":[],\"plan\":true}]}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("plan is a field of a call alone: a chain has no plan");
    }
}
