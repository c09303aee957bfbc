package dev.quiver.bench.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.quiver.bench.Aims;
import dev.quiver.bench.Bench;
import dev.quiver.bench.Lab;
import dev.quiver.bench.RecordSizes;
import dev.quiver.bench.Report;
import dev.quiver.bench.redis.RedisServer;

/** Redis' own processor time for a step, with the record against without, block by block. */
public final class StepBench implements Bench {

    private static final int[] SIZES = {1, 8, 64};
    private static final int[] FAILING = {0, 5};
    /** Steps of 64 first-time passes, times those without. */
    private static final double AIM = 1.06;

    @Override
    public String name() {
        return "history-step";
    }

    @Override
    public String question() {
        return "processor time of Redis for a step of 1, 8 and 64 tasks, recorded against not recorded";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        RecordSizes sizes = lab.pace().record();
        Aims aims = new Aims(name());
        List<String> text = new ArrayList<>();
        try (RedisServer redis = RedisServer.start(lab);
                Steps off = Steps.open(redis.port(), "off", Optional.empty());
                Steps on = Steps.open(redis.port(), "on", Optional.of(""))) {
            text.add(redis.described());
            text.add("used_cpu_user and used_cpu_sys of INFO, append-only file included; blocks of " + sizes.steps()
                    + " steps, on and off in turn, each ratio of two neighbours; each step settles and claims; failing trials"
                    + " have 4 KiB of output, deflated to " + Load.tailBytes() + " bytes");
            for (int failing : FAILING) {
                for (int size : SIZES) {
                    pairs(redis, off, on, size, failing, sizes, aims);
                }
            }
        }
        text.add(aims.table());
        return new Report(text, aims.figures());
    }

    private static void pairs(
            RedisServer redis, Steps off, Steps on, int size, int failing, RecordSizes sizes, Aims aims)
            throws Exception {
        String what = "step of " + size + (failing == 0 ? "" : ", " + failing + " % failing");
        off.claim(size);
        on.claim(size);
        block(redis, off, sizes.steps(), failing);
        block(redis, on, sizes.steps(), failing);
        for (int pair = 0; pair < sizes.blocks(); pair++) {
            boolean first = pair % 2 == 0;
            double one = block(redis, first ? off : on, sizes.steps(), failing);
            double other = block(redis, first ? on : off, sizes.steps(), failing);
            double without = first ? one : other;
            double with = first ? other : one;
            aims.add(what + ", off", without, "µs");
            aims.add(what + ", on", with, "µs");
            if (size == 64 && failing == 0) {
                aims.add(what + ", on / off", with / without, "times", AIM);
            } else {
                aims.add(what + ", on / off", with / without, "times");
            }
            redis.restBetweenTurns();
        }
        off.giveBack();
        on.giveBack();
        on.forget();
    }

    /** Microseconds of a step. */
    private static double block(RedisServer redis, Steps steps, int count, int failing) {
        double before = redis.cpuMicros();
        for (int i = 0; i < count; i++) {
            steps.step(failing);
        }
        double spent = redis.cpuMicros() - before;
        steps.forget();
        return spent / count;
    }
}
