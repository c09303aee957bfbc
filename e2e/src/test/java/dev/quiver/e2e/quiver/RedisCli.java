package dev.quiver.e2e.quiver;

import java.util.List;
import java.util.stream.Stream;

/** redis-cli in the pod of the chart's Redis, as its administrator. Thread-safe. */
public final class RedisCli {

    private static final String POD = "quiver-redis-0";

    private final Kubectl kubectl;

    RedisCli(Kubectl kubectl) {
        this.kubectl = kubectl;
    }

    /** Runs a command and returns the answer as text. */
    public String run(String... words) {
        return kubectl.run(Stream.concat(Stream.of("exec", POD, "-c", "redis", "--", "redis-cli"), Stream.of(words))
                .toArray(String[]::new));
    }

    /** The names of all keys that hold this text. */
    public List<String> keysWith(String text) {
        return run("--scan", "--pattern", "*" + text + "*").lines().toList();
    }
}
