package dev.quiver.e2e.quiver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ShownCommandTest {

    @Test
    void jsonBehindItIsWhatItPrints() {
        ShownCommand command = ShownCommand.of("kubectl get mrj a -o jsonpath='{.status.result}'      # [3, 5]");
        assertThat(command.line()).isEqualTo("kubectl get mrj a -o jsonpath='{.status.result}'");
        assertThat(command.promises()).isTrue();
        assertThat(command.output()).hasValueSatisfying(json -> assertThat(json).hasToString("[3,5]"));
    }

    @Test
    void wordsBehindItPromiseNothing() {
        assertThat(ShownCommand.of("kubectl get tset a -w     # 3 tasks, 4 trials")
                        .promises())
                .isFalse();
        assertThat(ShownCommand.of("kubectl describe tset a").promises()).isFalse();
    }

    @Test
    void waitsAreKeptInTheNamespaceOfTheTest() {
        ShownCommand command = ShownCommand.of("kubectl wait --for=condition=Ready -n team-a wpool/a   # soon");
        assertThat(command.promises()).isTrue();
        assertThat(command.line()).isEqualTo("kubectl wait --for=condition=Ready wpool/a");
    }
}
