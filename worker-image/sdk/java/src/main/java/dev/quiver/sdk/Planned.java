package dev.quiver.sdk;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A function and its plan, which are served under two names.
 *
 * @param function any but an iterator
 * @param plan of it
 */
record Planned(Handler function, PlanHandler plan) implements Handler {
    Planned {
        Objects.requireNonNull(plan, "plan");
        Objects.requireNonNull(function, "function");
        if (function instanceof IteratorHandler || function instanceof Planned) {
            throw new IllegalArgumentException("a plan is for a function: "
                    + (function instanceof Planned ? "this one has a plan" : "this one is an iterator"));
        }
    }

    /** Those that are announced, each by its name: a plan follows its function. */
    static Map<String, Handler> served(Map<String, ? extends Handler> handlers) {
        Map<String, Handler> served = new LinkedHashMap<>();
        handlers.forEach((name, handler) -> {
            if (handler instanceof Planned both) {
                served.put(name, both.function);
                served.put(Names.ofPlan(name), both::answer);
            } else {
                served.put(name, handler);
            }
        });
        return served;
    }

    @Override
    public Output handle(Input input, Task task) throws Exception {
        return function.handle(input, task);
    }

    private Output answer(Input input, Task task) throws Exception {
        Plan answer = plan.plan(input, task);
        return (answer == null ? Plan.builder().build() : answer).output();
    }
}
