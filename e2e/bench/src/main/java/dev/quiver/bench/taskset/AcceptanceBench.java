package dev.quiver.bench.taskset;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import dev.quiver.bench.Aims;
import dev.quiver.bench.Bench;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.quiver.Headquarters;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.lifecycle.history.TestNames;
import dev.quiver.lifecycle.history.TestTimes;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.ordinals.TaskRendering;
import dev.quiver.lifecycle.taskset.ClaimOrder;
import dev.quiver.lifecycle.taskset.LongestFirst;

/** The time that an order adds to the acceptance of a set with as many named tests as an order can have. */
public final class AcceptanceBench implements Bench {

    private static final String POOL = "acceptance";
    private static final int SEED = 11;
    /** The longest that an order may add, in ms. */
    private static final int AIM = 300;

    @Override
    public String name() {
        return "taskset-acceptance";
    }

    @Override
    public String question() {
        return "what the order of " + ClaimOrder.MOST + " named tests adds to the acceptance of their set";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        Aims aims = new Aims(name());
        TaskSource lines = new TaskSource.Lines();
        List<String> names = IntStream.range(0, ClaimOrder.MOST)
                .mapToObj(test -> "tests/module_" + test / 40 + "/test_file.py::TestClass::test_" + test)
                .toList();
        byte[] answer = estimates(names);
        String described;
        try (RedisServer redis = RedisServer.start(lab);
                Headquarters headquarters = new Headquarters(redis.port(), POOL)) {
            described = redis.described();
            headquarters.announce(POOL);
            for (int round = 0; round < lab.pace().rounds(); round++) {
                long begin = System.nanoTime();
                Optional<ClaimOrder> order = LongestFirst.of(
                        names.size(),
                        task -> TaskRendering.name(lines, task, Optional.of(names.get(task))),
                        TestTimes.read(answer, Optional.of(0.1)));
                double joined = millis(begin);
                double plain = opened(headquarters, Optional::empty);
                double ordered = opened(headquarters, () -> order);
                aims.add("names joined with times, and sorted", joined, "ms");
                aims.add("order written", ordered - plain, "ms");
                aims.add("both", joined + ordered - plain, "ms", AIM);
                redis.restBetweenTurns();
            }
        }
        return new Report(
                List.of(
                        described,
                        ClaimOrder.MOST
                                + " names of some 50 characters, all of them known; the first round is part of it;"
                                + " history's answer is made before",
                        aims.table()),
                aims.figures());
    }

    private static double opened(Headquarters headquarters, Supplier<Optional<ClaimOrder>> order) {
        long begin = System.nanoTime();
        headquarters.open(POOL, new TaskSource.Count(ClaimOrder.MOST), opening -> opening.ordered(order.get()));
        return millis(begin);
    }

    private static double millis(long begin) {
        return (System.nanoTime() - begin) / 1e6;
    }

    /** As history answers: hash and time of each test, by hash. */
    private static byte[] estimates(List<String> names) {
        Random random = new Random(SEED);
        Long[] hashes = names.stream().map(TestNames::hash).toArray(Long[]::new);
        Arrays.sort(hashes, Comparator.comparing(hash -> hash, Long::compareUnsigned));
        ByteBuffer to = ByteBuffer.allocate(hashes.length * (Long.BYTES + Integer.BYTES))
                .order(ByteOrder.LITTLE_ENDIAN);
        for (long hash : hashes) {
            to.putLong(hash).putInt(random.nextInt(10, 60_000));
        }
        return to.array();
    }
}
