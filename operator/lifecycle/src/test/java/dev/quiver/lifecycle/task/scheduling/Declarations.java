package dev.quiver.lifecycle.task.scheduling;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Resources of a WorkerPool, declared in short words. */
final class Declarations {

    private Declarations() {}

    /** Resources without permits, by whether they are there. */
    static Map<String, PoolOrder.Declared> of(Map<String, Boolean> names) {
        Map<String, PoolOrder.Declared> all = new HashMap<>();
        names.forEach((name, there) -> all.put(name, PoolOrder.Declared.uncounted(there)));
        return all;
    }

    /** One that so many tasks may have at a time. */
    static PoolOrder.Declared permits(int most) {
        return new PoolOrder.Declared(true, Optional.of(most), Optional.empty(), false, false);
    }

    /** One that so many tasks may start with in a window of time. */
    static PoolOrder.Declared rate(int most, int seconds) {
        return new PoolOrder.Declared(true, Optional.of(most), Optional.of(seconds), false, false);
    }
}
