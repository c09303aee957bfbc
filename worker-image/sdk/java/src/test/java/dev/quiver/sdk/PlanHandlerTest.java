package dev.quiver.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

class PlanHandlerTest {
    private static final Handler FUNCTION = (input, task) -> null;
    private static final PlanHandler PLAN = (input, task) -> null;

    @Test
    void aFunctionWithAPlanIsServedUnderTwoNames() throws Exception {
        BatchHandler all = (inputs, tasks) -> List.of();
        Map<String, Handler> handlers = new LinkedHashMap<>();
        handlers.put("b", PlanHandler.with(all, PLAN));
        handlers.put("a", FUNCTION);
        Map<String, Handler> served = Beside.served(handlers);
        assertThat(served.keySet()).containsExactly("b", "b#plan", "a");
        assertThat(served.get("b")).isSameAs(all);
        assertThat(served.get("b#plan").handle(null, null).length()).isEqualTo("{}".length());
        assertThat(PlanHandler.with((input, task) -> Output.json("1"), PLAN)
                        .handle(null, null)
                        .length())
                .isEqualTo(1);
    }

    @Test
    void theNamesOfPlansAreReserved() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Handlers.serve(Map.of("a#plan", FUNCTION)))
                .withMessage("a handler's name does not end in \"#plan\", which is for plans: \"a#plan\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Handlers.serve(Map.of("ü".repeat(62), PlanHandler.with(FUNCTION, PLAN))))
                .withMessageStartingWith("the name of a handler with a plan has at most 123 bytes, \"ü")
                .withMessageEndingWith("ü\" has 124");
        assertThat(Beside.served(Map.of("x".repeat(123), PlanHandler.with(FUNCTION, PLAN))))
                .hasSize(2);
    }

    @Test
    void aPlanCountsAsAHandler() {
        Map<String, Handler> handlers = new LinkedHashMap<>();
        for (int i = 0; i < 33; i++) {
            handlers.put("f" + i, PlanHandler.with(FUNCTION, PLAN));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Handlers.serve(handlers))
                .withMessage("a process serves 1 to 64 handlers, not 66");
    }

    @Test
    void anIteratorHasNoPlan() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PlanHandler.with(IteratorHandler.of((iteration, task) -> null), PLAN))
                .withMessage("a plan is for a function: this one is an iterator");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PlanHandler.with(PlanHandler.with(FUNCTION, PLAN), PLAN))
                .withMessage("a plan is for a function: this one has a plan");
    }
}
