package dev.quiver.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import dev.quiver.controller.pool.PoolSimulation.Load;
import dev.quiver.controller.pool.PoolSimulation.Result;
import dev.quiver.controller.pool.scaling.Crew;
import dev.quiver.controller.pool.scaling.Decision;
import dev.quiver.controller.pool.scaling.Scaling;
import dev.quiver.controller.pool.scaling.ScalingMemory;
import dev.quiver.lifecycle.worker.SourceLoad;

/** The rule beside those of the field, on the same loads: what it wastes, when the work ends, and what is cut off. */
class ScalingSimulationTest {

    private record Scenario(List<Load> loads, double until, double... start) {}

    private static final Map<String, Scenario> SCENARIOS = new LinkedHashMap<>();

    static {
        SCENARIOS.put("1,000 x 10 s at once", new Scenario(List.of(Load.atOnce(1000, 10)), 3000, 2, 5));
        SCENARIOS.put("10,000 x 20 ms at once", new Scenario(List.of(Load.atOnce(10_000, 0.02)), 1500, 2, 5));
        SCENARIOS.put("200 x 1 to 120 s", new Scenario(List.of(Load.atOnce(0.1, random(200, 1, 120))), 3000, 2, 5));
        SCENARIOS.put("160 x 10 s, 20 x 1,000 s", new Scenario(List.of(Load.atOnce(0.1, mixed())), 5000, 2, 5));
        SCENARIOS.put(
                "2,000 x 50 ms, then 100 x 60 s",
                new Scenario(List.of(Load.atOnce(2000, 0.05), Load.atOnce(5.1, same(100, 60))), 3000, 2, 5));
        SCENARIOS.put(
                "1,000 x 10 s, pods start in 60 to 120 s", new Scenario(List.of(Load.atOnce(1000, 10)), 4000, 60, 120));
        SCENARIOS.put("20 a second of 1 s, ten minutes", new Scenario(List.of(steady()), 2000, 2, 5));
        SCENARIOS.put("100 x 2 s each 90 s, ten times", new Scenario(List.of(waves()), 2500, 2, 5));
    }

    private static double[] random(int tasks, double least, double most) {
        Random random = new Random(7);
        return IntStream.range(0, tasks)
                .mapToDouble(_ -> least + random.nextDouble() * (most - least))
                .toArray();
    }

    private static double[] same(int tasks, double seconds) {
        return IntStream.range(0, tasks).mapToDouble(_ -> seconds).toArray();
    }

    private static double[] mixed() {
        return IntStream.range(0, 180).mapToDouble(k -> k % 9 == 0 ? 1000 : 10).toArray();
    }

    private static Load steady() {
        Random random = new Random(7);
        return new Load(IntStream.range(0, 12_000)
                .mapToObj(_ -> new double[] {random.nextDouble() * 600, -Math.log(1 - random.nextDouble())})
                .toList());
    }

    private static Load waves() {
        List<double[]> tasks = new ArrayList<>();
        for (int wave = 0; wave < 10; wave++) {
            for (int i = 0; i < 100; i++) {
                tasks.add(new double[] {wave * 90 + 0.1, 2});
            }
        }
        return new Load(tasks);
    }

    /** The operator's. */
    private static final class Quiver implements PoolSimulation.Scaler {
        private final Scaling scaling = new Scaling(
                0, PoolSimulation.MOST, PoolSimulation.SLOTS, Duration.ofSeconds(30), Duration.ofSeconds(30));
        private ScalingMemory memory = ScalingMemory.EMPTY;

        @Override
        public int decide(double at, List<SourceLoad> loads, Crew crew) {
            Decision decision = scaling.decide(loads, crew, memory, Instant.EPOCH.plusMillis(Math.round(at * 1000)));
            memory = decision.memory();
            return decision.desired();
        }

        @Override
        public boolean waitsForIdle() {
            return true;
        }
    }

    /** autoscaling/v2 by the tasks for each slot: each 15 s, at most doubled, down to the most of a window. */
    private static class Hpa implements PoolSimulation.Scaler {
        private final int window;
        private final List<double[]> before = new ArrayList<>();
        private double next = 7;
        int now = 1;

        Hpa(int window) {
            this.window = window;
        }

        @Override
        public int decide(double at, List<SourceLoad> loads, Crew crew) {
            if (at >= next) {
                next += 15;
                double tasks = tasks(loads) + crew.busySlots();
                int pods = crew.pods();
                boolean near = pods > 0 && Math.abs(tasks / (pods * (double) PoolSimulation.SLOTS) - 1) <= 0.1;
                int want = near ? pods : (int) Math.ceil(tasks / PoolSimulation.SLOTS);
                want = Math.min(Math.max(1, want), pods + Math.max(pods, 4));
                before.removeIf(past -> past[0] <= at - window);
                before.add(new double[] {at, want});
                int most = before.stream().mapToInt(past -> (int) past[1]).max().orElse(1);
                now = want > pods ? want : Math.min(pods, most);
            }
            return now;
        }

        static double tasks(List<SourceLoad> loads) {
            return loads.stream().mapToLong(SourceLoad::claimable).sum();
        }
    }

    /** An HPA above one pod; from zero to one by a look each 30 s, and to zero after 300 s without work. */
    private static final class Keda extends Hpa {
        private double look;
        private double active = -1;

        Keda() {
            super(300);
        }

        @Override
        public int decide(double at, List<SourceLoad> loads, Crew crew) {
            int pods = super.decide(at, loads, crew);
            if (at >= look) {
                look += 30;
                active = tasks(loads) + crew.busySlots() > 0 ? at : active;
            }
            return active >= 0 && at - active < 300 ? pods : 0;
        }
    }

    @Test
    void wastesLessThanTheRulesOfTheFieldAndCutsNothingOff() {
        Map<String, Supplier<PoolSimulation.Scaler>> rules = new LinkedHashMap<>();
        rules.put("Quiver", Quiver::new);
        rules.put("HPA", () -> new Hpa(300));
        rules.put("HPA, 30 s", () -> new Hpa(30));
        rules.put("KEDA", Keda::new);
        System.out.printf(
                "%-40s %-10s %9s %7s %7s %6s %8s%n", "load", "rule", "needless", "first", "end", "made", "cut off");
        SCENARIOS.forEach((name, scenario) -> {
            Map<String, Result> results = new LinkedHashMap<>();
            rules.forEach((rule, scaler) -> {
                Result result = PoolSimulation.run(scaler.get(), scenario.loads(), scenario.until(), scenario.start());
                results.put(rule, result);
                System.out.printf(
                        "%-40s %-10s %9.0f %7.1f %7.1f %6d %8d%n",
                        name, rule, result.needless(), result.first(), result.end(), result.made(), result.cutOff());
            });
            Result ours = results.get("Quiver");
            assertThat(ours.cutOff()).as(name).isZero();
            assertThat(ours.left()).as(name + ": pods at the end").isZero();
            assertThat(results.values())
                    .allSatisfy(other -> assertThat(ours.needless()).as(name).isLessThanOrEqualTo(other.needless()));
        });
    }
}
