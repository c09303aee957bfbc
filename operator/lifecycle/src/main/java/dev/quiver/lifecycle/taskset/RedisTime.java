package dev.quiver.lifecycle.taskset;

import java.time.Instant;
import java.util.List;

/** The reply of TIME as an instant. */
final class RedisTime {

    private RedisTime() {}

    static Instant of(List<String> secondsAndMicros) {
        return Instant.ofEpochSecond(
                Long.parseLong(secondsAndMicros.get(0)), Long.parseLong(secondsAndMicros.get(1)) * 1000);
    }
}
