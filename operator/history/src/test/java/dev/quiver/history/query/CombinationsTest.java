package dev.quiver.history.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CombinationsTest {

    private static Combinations of(String spec) {
        return Combinations.of(spec.getBytes(StandardCharsets.UTF_8));
    }

    /** As lifecycle's TaskRendering has them. */
    @Test
    void theLastKeyVariesFastestAndKeysStandInTheOrderOfTheirNames() {
        Combinations names =
                of("{\"source\":{\"matrix\":{\"os\":[\"linux\",\"mac\"],\"arch\":[\"arm\",\"x86\",\"riscv\"]}}}");
        List<String> all = LongStream.range(0, 6)
                .mapToObj(task -> names.name(task).orElseThrow())
                .toList();
        assertThat(all)
                .containsExactly(
                        "arch=arm,os=linux",
                        "arch=arm,os=mac",
                        "arch=x86,os=linux",
                        "arch=x86,os=mac",
                        "arch=riscv,os=linux",
                        "arch=riscv,os=mac");
        assertThat(names.name(6)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "null",
                "{\"source\":{\"count\":7}}",
                "{\"source\":{\"matrix\":{}}}",
                "{\"source\":{\"matrix\":[\"a\"]}}",
                "{\"source\":{\"matrix\":{\"a\":[],\"b\":[\"c\"]}}}",
                "{\"source\":{\"matrix\":{\"a\":\"text\"}}}"
            })
    void whatIsNoMatrixNamesNothing(String spec) {
        assertThat(of(spec).name(0)).isEmpty();
    }

    @Test
    void aNameThatIsTooLongIsNone() {
        Combinations names = of("{\"source\":{\"matrix\":{\"a\":[\"" + "x".repeat(1100) + "\",\"y\"]}}}");
        assertThat(names.name(0)).isEmpty();
        assertThat(names.name(1)).contains("a=y");
    }
}
