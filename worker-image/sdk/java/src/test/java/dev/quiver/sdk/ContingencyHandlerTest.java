package dev.quiver.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;

class ContingencyHandlerTest {
    private static final Handler FUNCTION = (input, task) -> null;

    private static String answer(ContingencyHandler contingency) throws Exception {
        Output output = Beside.served(Map.of("send", ContingencyHandler.with(FUNCTION, contingency)))
                .get("send#contingency")
                .handle(null, null);
        assertThat(output.format()).isEqualTo(Format.EFFECTS);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        output.writeTo(Channels.newChannel(bytes));
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aContingencySaysWhetherItWasDone() throws Exception {
        assertThat(answer((input, task) -> Optional.empty())).isEqualTo("{\"redo\":true}");
        assertThat(answer((input, task) -> Optional.of(Done.of("7", List.of("{\"handler\":\"sync\"}")))))
                .isEqualTo("{\"done\":true,\"result\":7,\"tasks\":[{\"handler\":\"sync\"}]}");
        assertThatThrownBy(() -> answer((input, task) -> null)).hasMessageContaining("a contingency returned null");
    }

    @Test
    void aFunctionMayHaveAPlanAndAContingency() {
        ContingencyHandler contingency = (input, task) -> Optional.empty();
        Handler both = ContingencyHandler.with(PlanHandler.with(FUNCTION, (input, task) -> null), contingency);
        assertThat(Beside.served(Map.of("a", both)).keySet()).containsExactly("a", "a#plan", "a#contingency");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ContingencyHandler.with(both, contingency))
                .withMessage("a contingency is for a function: this one has a contingency");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ContingencyHandler.with(IteratorHandler.of((iteration, task) -> null), contingency))
                .withMessage("a contingency is for a function: this one is an iterator");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Handlers.serve(Map.of("a#contingency", FUNCTION)))
                .withMessageContaining("which is for contingencies");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> Beside.served(Map.of("x".repeat(117), ContingencyHandler.with(FUNCTION, contingency))))
                .withMessageContaining("has at most 116 bytes");
    }
}
