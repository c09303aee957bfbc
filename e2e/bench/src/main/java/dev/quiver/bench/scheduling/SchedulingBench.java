package dev.quiver.bench.scheduling;

import java.util.ArrayList;
import java.util.List;

import dev.quiver.bench.Aims;
import dev.quiver.bench.Bench;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.redis.RedisServer;

/** The order of a pool's Tasks: its costs beside the order of arrival, and its use. */
public final class SchedulingBench implements Bench {

    private static final long SEED = 1;

    @Override
    public String name() {
        return "scheduling";
    }

    @Override
    public String question() {
        return "what ranks cost in the life of a task, boosts of what waits, turns of keys, and the wait of what is in view";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        SchedulingSizes sizes = SchedulingSizes.of(lab.pace());
        Aims aims = new Aims(name());
        List<String> text = new ArrayList<>();
        try (RedisServer redis = RedisServer.start(lab)) {
            text.add(redis.described());
            text.add(
                    "lives: used_cpu_user and used_cpu_sys of INFO, append-only file included; made by a program's calls, claimed"
                            + " and settled by a worker's; the kinds in turn, each ratio of neighbours");
            new TaskLives(redis, sizes, aims).measure();
            redis.commands().flushall();
            text.add("boosts: one worker claims a task at a time meanwhile; longest call by SLOWLOG");
            new BoostMoves(redis, sizes, aims).measure();
            redis.commands().flushall();
            text.add("resources: as boosts; nine of ten tasks need one that is lost, and the worker gets the others");
            new GateMoves(redis, sizes, aims).measure();
            redis.commands().flushall();
            text.add("turns: 32 slots, tasks of 20 ms, one key's tasks come at random and need a fifth of the slots");
            new FairWaits(redis, sizes, aims).measure();
            redis.commands().flushall();
            text.add(
                    "view: " + sizes.viewed() + " simulated seconds, seed " + SEED
                            + "; 16 slots, 76 tasks/s of 0.2 s over 200"
                            + " conversations, the first 120 s of them at once; another conversation every 5 s; Redis chooses the tasks");
            for (ViewSimulation.Way way : ViewSimulation.Way.values()) {
                new ViewSimulation(redis, sizes, aims).measure(way, SEED);
                redis.commands().flushall();
            }
        }
        text.add(aims.table());
        return new Report(text, aims.figures());
    }
}
