package dev.quiver.bench.task;

import java.util.ArrayList;
import java.util.List;

import dev.quiver.bench.Lab;
import dev.quiver.bench.peer.InstalledPeer;
import dev.quiver.bench.peer.PeerKind;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.bench.task.TreesContender.Supply;
import dev.quiver.bench.throughput.Executors;
import dev.quiver.bench.throughput.PeerContender;
import dev.quiver.bench.throughput.QuiverContender;

/**
 * No-op leaves of Tasks a second: created, activated, claimed, run through the slots and finished, with all that is
 * accounted. Beside them the tasks of a TaskSet through the same executor, and the peers, whose queues are filled before.
 */
public final class LeavesBench extends RatesBench {

    @Override
    public String name() {
        return "task-leaves";
    }

    @Override
    public String question() {
        return "no-op tasks a second, creation included, beside a TaskSet and peers (aims: 2 times BullMQ, 10 times"
                + " idoit)";
    }

    @Override
    void start(Lab lab, RedisServer redis, Starters starters) throws Exception {
        List<String> peers = new ArrayList<>();
        for (InstalledPeer installed : PeerKind.install(lab, PeerKind.ASYNQ, PeerKind.BULLMQ, PeerKind.IDOIT)) {
            peers.add(starters.add(new PeerContender(starters.peer(installed, redis), redis.pid())));
        }
        List<Integer> slots = lab.pace().slots();
        Executors executors = Executors.oneThread(lab, "TaskSet");
        starters.add(QuiverContender.start(lab, executors, slots, redis, redis.port()), peers);
        for (Shape shape : List.of(Shape.SINGLE, Shape.LEAVES)) {
            starters.add(TreesContender.start(lab, shape, Supply.ALONG, executors.program(), slots, redis), peers);
        }
        starters.add(TreesContender.start(lab, Shape.SINGLE, Supply.BEFORE, executors.program(), slots, redis), peers);
    }
}
