package dev.quiver.bench.throughput;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.quiver.bench.Pace;
import dev.quiver.bench.Samples;
import dev.quiver.bench.redis.RedisServer;

/** Rounds outside, contenders inside: a disturbance of the machine for a while affects all of them. */
public final class Rounds {

    private Rounds() {}

    /**
     * Tasks a second by slots and name, one value for each round. The contender that began a round is the last of the
     * next.
     */
    public static Map<Integer, Map<String, Samples>> measure(
            List<Contender> contenders, List<Integer> slots, RedisServer redis, Pace pace) throws Exception {
        Map<Integer, Map<String, List<Double>>> rates = new LinkedHashMap<>();
        List<Contender> order = new ArrayList<>(contenders);
        for (int round = 0; round < pace.rounds(); round++) {
            for (int concurrency : slots) {
                for (Contender contender : order) {
                    rates.computeIfAbsent(concurrency, any -> new LinkedHashMap<>())
                            .computeIfAbsent(contender.name(), any -> new ArrayList<>())
                            .add(contender.turn(concurrency, pace));
                    redis.restBetweenTurns();
                }
            }
            Collections.rotate(order, 1);
        }
        Map<Integer, Map<String, Samples>> samples = new LinkedHashMap<>();
        rates.forEach((concurrency, byName) -> {
            Map<String, Samples> row = new LinkedHashMap<>();
            byName.forEach((name, values) -> row.put(name, new Samples(values)));
            samples.put(concurrency, row);
        });
        return samples;
    }
}
