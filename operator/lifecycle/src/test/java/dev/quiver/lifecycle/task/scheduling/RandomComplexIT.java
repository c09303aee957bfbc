package dev.quiver.lifecycle.task.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.Complex;
import dev.quiver.lifecycle.task.model.TreeNodeJson;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.results.ComplexStates;
import dev.quiver.lifecycle.task.work.TaskLeaf;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;

/**
 * Complex tasks of three keys, played at random by three workers that fail, give back and die. Requests are cancelled and
 * markers withdrawn meanwhile. Each answer counts once or not at all, and those that take turns never run beside each other.
 * At the end nothing is left.
 */
class RandomComplexIT {

    private static final List<String> KEYS = List.of("a", "b", "c");
    private static final int STEPS = 300;
    private static final String PARALLEL = "p";

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    /** One play. */
    private static final class Play {

        private final World world = new World(REDIS);
        private final Random random;
        private final List<World.Worker> workers = new ArrayList<>();
        private final Map<String, Integer> counted = new HashMap<>();
        private final List<String> requests = new ArrayList<>();

        Play(long seed) {
            random = new Random(seed);
            for (int i = 0; i < 3; i++) {
                workers.add(world.worker("p", "h", "h#plan"));
            }
        }

        private <T> T any(List<T> of) {
            return of.get(random.nextInt(of.size()));
        }

        private void submit() throws JsonProcessingException {
            String id = "r" + requests.size();
            requests.add(id);
            world.begin(
                    id,
                    new TreeNodeJson("p")
                            .read(
                                    "task",
                                    new JsonMapper()
                                            .readTree("{\"handler\":\"h\",\"maxTrials\":100,\"complexKey\":\""
                                                    + any(KEYS) + "\"}")));
        }

        private static Complex of(Claim claim) {
            return ((TaskLeaf) claim.task()).complex().orElseThrow();
        }

        private static boolean plans(Claim claim) {
            return ((TaskLeaf) claim.task()).plans();
        }

        private void claim(World.Worker worker) {
            worker.step(List.of(), 1 + random.nextInt(3));
            Set<String> turns = new HashSet<>();
            for (World.Worker each : workers) {
                each.held.stream()
                        .filter(claim -> of(claim)
                                .marker()
                                .filter(name -> name.startsWith(PARALLEL))
                                .isEmpty())
                        .forEach(claim -> assertThat(turns.add(of(claim).key()))
                                .as("two of key %s at a time", of(claim).key())
                                .isTrue());
            }
        }

        /** Markers are said, said again and withdrawn. */
        private String markers() {
            StringBuilder all = new StringBuilder();
            for (String name : List.of("m", "n", PARALLEL + "1", PARALLEL + "2")) {
                if (random.nextInt(3) == 0) {
                    String words = random.nextInt(4) == 0
                            ? "null"
                            : "{\"maxTrials\":100,\"count\":" + (1 + random.nextInt(3)) + ",\"parallel\":"
                                    + name.startsWith(PARALLEL) + "}";
                    all.append(all.isEmpty() ? "" : ",").append("\"" + name + "\":" + words);
                }
            }
            return all.toString();
        }

        private void settle(World.Worker worker) {
            if (worker.held.isEmpty()) {
                return;
            }
            Claim claim = any(worker.held);
            switch (random.nextInt(6)) {
                case 0 -> worker.step(List.of(World.failed(claim)), 0);
                case 1 -> worker.step(List.of(new Settlement.Returned(claim, Optional.empty(), Duration.ZERO)), 0);
                case 2 ->
                    worker.step(
                            List.of(World.brought(
                                    claim, answer(claim, "{\"add\":\"n\",\"value\":1,\"expect\":\"never\"}", ""))),
                            0);
                default -> pass(worker, claim, plans(claim) ? markers() : "");
            }
        }

        private static String answer(Claim claim, String change, String markers) {
            return "{" + (plans(claim) ? "\"done\":true," : "") + "\"state\":[" + change + "],\"markers\":{" + markers
                    + "}}";
        }

        private void pass(World.Worker worker, Claim claim, String markers) {
            StepCall.Verdict verdict = worker.step(
                            List.of(World.brought(claim, answer(claim, "{\"add\":\"n\",\"value\":1}", markers))), 0)
                    .verdicts()
                    .getFirst();
            if (verdict == StepCall.Verdict.COUNTED) {
                counted.merge(of(claim).key(), 1, Integer::sum);
            }
        }

        private void step() throws JsonProcessingException {
            World.Worker worker = any(workers);
            switch (random.nextInt(12)) {
                case 0, 1, 2 -> submit();
                case 3, 4, 5 -> claim(worker);
                case 6 -> world.tick();
                case 7 -> {
                    if (!requests.isEmpty()) {
                        world.trees.change(any(requests), Trees.Change.CANCEL);
                    }
                }
                case 8 -> {
                    if (random.nextInt(4) == 0) {
                        workers.remove(worker);
                        worker.die();
                        workers.add(world.worker("p", "h", "h#plan"));
                    }
                }
                default -> settle(worker);
            }
        }

        private void work() {
            for (int idle = 0; idle < 20; ) {
                for (World.Worker worker : workers) {
                    List.copyOf(worker.held).forEach(claim -> pass(worker, claim, ""));
                }
                world.tick();
                boolean found = false;
                for (World.Worker worker : workers) {
                    found |= !worker.claim().isEmpty();
                }
                idle = found ? 0 : idle + 1;
                if (!found) {
                    await().pollDelay(Duration.ofMillis(10)).until(() -> true);
                }
            }
        }

        private Optional<ComplexStates.State> state(String key) {
            return new ComplexStates(world.store, world.keyspace).read("p", Complex.request("h", key));
        }

        private void check() throws JsonProcessingException {
            for (String key : KEYS) {
                assertThat(state(key).map(state -> state.fields().get("n")))
                        .as(key)
                        .isEqualTo(Optional.ofNullable(counted.get(key)).map(String::valueOf));
                assertThat(state(key).map(ComplexStates.State::markers).orElse(Map.of()))
                        .as("markers of %s that nobody executes", key)
                        .allSatisfy((name, words) -> assertThat(words).contains("\"error\""));
            }
            for (String key : KEYS) {
                world.begin(
                        "last-" + key,
                        new TreeNodeJson("p")
                                .read(
                                        "task",
                                        new JsonMapper()
                                                .readTree("{\"handler\":\"h\",\"complexKey\":\"" + key + "\"}")));
                Claim claim = workers.getFirst().step(List.of(), 1).claims().getFirst();
                workers.getFirst()
                        .step(
                                List.of(World.brought(
                                        claim,
                                        answer(
                                                claim,
                                                "{\"delete\":\"n\"}",
                                                "\"m\":null,\"n\":null,\"p1\":null,\"p2\":null"))),
                                0);
            }
            assertThat(world.store.<Long>ask(redis -> redis.hlen(world.keys.states())))
                    .as("keys of states")
                    .isZero();
            assertThat(world.store.<String>ask(redis -> redis.hget(world.keys.hash("p"), "left")))
                    .isEqualTo("0");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void eachAnswerCountsOnceAndTurnsAreKept(long seed) throws JsonProcessingException {
        Play play = new Play(seed);
        try (World _ = play.world) {
            for (int i = 0; i < STEPS; i++) {
                play.step();
            }
            play.work();
            play.check();
        }
    }
}
