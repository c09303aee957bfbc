package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.Takeover;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;

/**
 * Random lives of sets whose tasks may have two holders: any order of steps, repeats, offers, deaths, adoptions, suspends.
 * All counts are compared with what the sessions hold after every call. {@code -Dquiver.seed=…} repeats one life,
 * {@code -Dquiver.copies=…} goes on until so many copies ran.
 */
class RandomCopiesIT {

    private static final int LIVES = 100;
    /** The copies that run at least, however busy the machine is. */
    private static final int FEWEST = 50;

    private static final Duration ENOUGH = Duration.ofSeconds(15);
    private static final LeaseTimes BY_HAND = new LeaseTimes(Duration.ofMinutes(1), Duration.ofHours(1), Duration.ZERO);

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @Test
    void everyCountIsExactAfterEveryCall() {
        Long given = Long.getLong("quiver.seed");
        long copies = Long.getLong("quiver.copies", 0);
        long first = given != null ? given : new Random().nextLong() >>> 1;
        long begin = System.nanoTime();
        long ran = 0;
        try (RedisStore store = REDIS.open()) {
            for (int i = 0; given != null ? i < 1 : goesOn(i, ran, copies, begin); i++) {
                long seed = first + i;
                try (World world = new World(new Lifecycle(store, BY_HAND))) {
                    ran += new Life(seed, store, world).run();
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError("repeat with -Dquiver.seed=" + seed + ": " + e.getMessage(), e);
                }
                store.ask(redis -> redis.flushall());
                if (copies > 0 && i % 1000 == 999) {
                    System.out.printf("%d copies ran in %d lives%n", ran, i + 1);
                }
            }
        }
        System.out.printf("%d copies ran%n", ran);
        assertThat(ran).as("copies that ran").isGreaterThanOrEqualTo(given != null ? 0 : Math.max(copies, FEWEST));
    }

    private static boolean goesOn(int lives, long ran, long copies, long begin) {
        return copies > 0
                ? ran < copies
                : lives < LIVES && (ran < FEWEST || System.nanoTime() - begin < ENOUGH.toNanos());
    }

    /** A worker's pod with its present session. */
    private static final class Pod {
        final String name;
        WorkerSession session;
        List<Claim> claims = new ArrayList<>();

        Pod(String name, WorkerSession session) {
            this.name = name;
            this.session = session;
        }
    }

    private static final class Life {

        private final Random random;
        private final World world;
        private final RedisStore store;
        private final CopiesRig rig;
        private final boolean fed;
        private final List<Pod> pods = new ArrayList<>();
        private boolean calm;
        private long copies;

        Life(long seed, RedisStore store, World world) {
            this.random = new Random(seed);
            this.world = world;
            this.store = store;
            int tasks = 3 + random.nextInt(27);
            fed = random.nextInt(5) < 2;
            int bound = random.nextInt(4) == 0 ? 2 + random.nextInt(4) : 0;
            TaskSetLimits limits = World.limits(
                            1 + random.nextInt(3),
                            List.of(1, 3, 99).get(random.nextInt(3)),
                            random.nextInt(4) == 0 ? 2 : 0)
                    .atOnce(bound);
            int maxWorkers = random.nextInt(4) == 0 ? 2 : 0;
            TaskSource source = fed ? new TaskSource.Lines() : new TaskSource.Count(tasks);
            rig = new CopiesRig(store, world, source, tasks, limits, maxWorkers);
            order(tasks);
            if (fed) {
                List<String> lines =
                        IntStream.range(0, tasks).mapToObj(i -> "line" + i).toList();
                world.control.feed(CopiesRig.SET, 0, lines, true);
            }
            IntStream.range(0, 2 + random.nextInt(3))
                    .forEach(i -> pods.add(new Pod("pod" + i, world.session("pod" + i))));
        }

        private void order(int tasks) {
            int ordered = random.nextInt(3) == 0 ? 0 : random.nextBoolean() ? tasks : 1 + random.nextInt(tasks);
            if (ordered == 0) {
                return;
            }
            List<Integer> sequence =
                    new ArrayList<>(IntStream.range(0, ordered).boxed().toList());
            Collections.shuffle(sequence, random);
            List<Integer> millis = IntStream.range(0, ordered)
                    .mapToObj(i -> 100 + random.nextInt(60_000))
                    .toList();
            new HandWrittenOrder(sequence, millis).write(store, world.keyspace, CopiesRig.SET);
        }

        /** How many copies ran. */
        long run() {
            world.reaper.tick();
            for (int turn = 0; !isOver(); turn++) {
                assertThat(turn).as("turns to the end").isLessThan(4000);
                calm = turn > 300;
                act(pods.get(random.nextInt(pods.size())));
                rig.check();
            }
            pods.forEach(pod -> store.ask(redis -> redis.zadd(world.keyspace.sessions(), 1, pod.session.id())));
            world.reaper.tick();
            rig.check();
            rig.checkUnpassed();
            return copies;
        }

        private boolean isOver() {
            String status = rig.field("status");
            return !status.equals("running") && !status.equals("suspended");
        }

        private void act(Pod pod) {
            int dice = random.nextInt(100);
            if (dice < 55) {
                step(pod);
            } else if (dice < 80) {
                int late = random.nextInt(pod.claims.size() + 1);
                CopiesRig.attend(pod.session, shuffled(pod.claims).subList(0, late), CopiesRig.LATE, slowness());
            } else if (dice < 86) {
                die(pod);
            } else if (dice < 92) {
                world.reaper.tick();
            } else if (dice < 95) {
                comesDue();
            } else {
                world.control.changeStatus(
                        CopiesRig.SET,
                        calm || random.nextInt(3) > 0 ? new StatusChange.Resume() : new StatusChange.Suspend());
            }
        }

        private void comesDue() {
            String delayed =
                    new TaskSetKeys(world.keyspace, CopiesRig.SET).source().delayed();
            List<String> ids = store.ask(redis -> redis.zrange(delayed, 0, -1));
            ids.forEach(id -> store.ask(redis -> redis.zadd(delayed, 1, id)));
            if (!ids.isEmpty()) {
                store.ask(redis -> redis.zadd(world.keyspace.delayed(), 1, CopiesRig.SET));
                world.reaper.tick();
            }
        }

        private int slowness() {
            return List.of(1000, 1000, 0, 3000, 10_000).get(random.nextInt(5));
        }

        private List<Claim> shuffled(List<Claim> claims) {
            List<Claim> all = new ArrayList<>(claims);
            Collections.shuffle(all, random);
            return all;
        }

        private void step(Pod pod) {
            List<Claim> ending =
                    shuffled(pod.claims).subList(0, random.nextInt(random.nextInt(pod.claims.size() + 1) + 1));
            List<Settlement> settlements = ending.stream().map(this::settlement).toList();
            StepCall call = CopiesRig.prepare(pod.session, settlements, random.nextInt(6), calm ? 1000 : slowness());
            StepCall.Outcome.Done done = (StepCall.Outcome.Done) call.run();
            if (random.nextInt(7) == 0) {
                StepCall.Outcome.Done again = (StepCall.Outcome.Done) call.run();
                assertThat(again.verdicts()).isEqualTo(done.verdicts());
                assertThat(again.claims())
                        .extracting(Claim::id, Claim::copy, Claim::place)
                        .containsExactlyInAnyOrderElementsOf(done.claims().stream()
                                .map(claim ->
                                        org.assertj.core.groups.Tuple.tuple(claim.id(), claim.copy(), claim.place()))
                                .toList());
            }
            for (int i = 0; i < ending.size(); i++) {
                if (settlements.get(i) instanceof Settlement.Moved) {
                    continue;
                }
                pod.claims.remove(ending.get(i));
                if (settlements.get(i) instanceof Settlement.Passed
                        && done.verdicts().get(i) == StepCall.Verdict.COUNTED) {
                    assertThat(rig.passed.add(World.id(ending.get(i))))
                            .as("passes once")
                            .isTrue();
                }
            }
            pod.claims.addAll(done.claims());
            copies += done.claims().stream().filter(Claim::copy).count();
            if (done.claims().isEmpty() && done.others().isPresent()) {
                store.ask(redis -> redis.hset(world.key(CopiesRig.SET), "quick_until", "1"));
            }
        }

        private Settlement settlement(Claim claim) {
            if (calm) {
                return World.passed(claim);
            }
            return switch (random.nextInt(14)) {
                case 0, 1, 2 -> World.passed(claim);
                case 3, 4 -> World.failed(claim);
                case 5 -> World.failed(claim, new Retry.After(Duration.ofHours(1)));
                case 6 -> random.nextInt(3) == 0 ? World.failed(claim, Retry.NEVER) : World.failed(claim);
                case 7, 8 -> World.lost(claim);
                case 9, 10 -> new Settlement.Returned(claim);
                default -> new Settlement.Moved(claim, Place.slot(random.nextInt(4), 1));
            };
        }

        /** Its next session finds some of its tasks in the slots, or none; the others are taken back later. */
        private void die(Pod pod) {
            WorkerSessions.Outcome outcome = world.lifecycle
                    .sessions(world.keyspace)
                    .open(World.worker(pod.name), Duration.ofSeconds(random.nextBoolean() ? 30 : 0));
            WorkerSession heir = ((WorkerSessions.Outcome.Opened) outcome).session();
            List<Takeover> found = heir.orphans().stream()
                    .filter(orphan -> random.nextInt(5) < 3)
                    .map(orphan -> new Takeover(
                            orphan.uid(),
                            orphan.id(),
                            random.nextInt(4) == 0 ? Place.queued(3) : Place.slot(random.nextInt(4), 7)))
                    .toList();
            pod.session = heir;
            pod.claims = new ArrayList<>(heir.adopt(found).stream()
                    .filter(claim -> !claim.place().isQueued())
                    .toList());
        }
    }
}
