package dev.quiver.sdk;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A function and what a task of it is asked beside it, which are served under two names.
 *
 * @param function any but an iterator; it may have another one beside it
 * @param kind what the other one is
 * @param answer of it, always effects
 */
record Beside(Handler function, Kind kind, Handler answer) implements Handler {

    /** The kinds of functions that stand beside another one. */
    enum Kind {
        PLAN("plan", PlanHandler.SUFFIX, "plans"),
        CONTINGENCY("contingency", ContingencyHandler.SUFFIX, "contingencies");

        private final String word;
        private final String suffix;
        private final String all;

        Kind(String word, String suffix, String all) {
            this.word = word;
            this.suffix = suffix;
            this.all = all;
        }

        String word() {
            return word;
        }

        String suffix() {
            return suffix;
        }

        String all() {
            return all;
        }
    }

    Beside {
        Objects.requireNonNull(function, "function");
        for (Handler at = function; ; at = ((Beside) at).function) {
            if (at instanceof IteratorHandler || at instanceof Beside other && other.kind == kind) {
                throw new IllegalArgumentException("a " + kind.word + " is for a function: "
                        + (at instanceof Beside ? "this one has a " + kind.word : "this one is an iterator"));
            }
            if (!(at instanceof Beside)) {
                break;
            }
        }
    }

    /** Those that are announced, each by its name: what a function has beside it follows it. */
    static Map<String, Handler> served(Map<String, ? extends Handler> handlers) {
        Map<String, Handler> served = new LinkedHashMap<>();
        handlers.forEach((name, handler) -> serve(served, name, handler));
        return served;
    }

    private static void serve(Map<String, Handler> served, String name, Handler handler) {
        if (handler instanceof Beside both) {
            serve(served, name, both.function);
            served.put(Names.of(name, both.kind), both.answer);
        } else {
            if (handler instanceof ComplexFunction) {
                Names.checkComplex(name);
            }
            served.put(name, handler);
        }
    }

    @Override
    public Output handle(Input input, Task task) throws Exception {
        return function.handle(input, task);
    }
}
