package dev.quiver.bench.task;

import java.util.ArrayList;
import java.util.List;

import dev.quiver.bench.Lab;
import dev.quiver.bench.peer.InstalledPeer;
import dev.quiver.bench.peer.Peer;
import dev.quiver.bench.peer.PeerKind;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.bench.task.TreesContender.Supply;
import dev.quiver.bench.throughput.Executors;
import dev.quiver.bench.throughput.PeerContender;

/** No-op leaves a second of chains and groups, beside BullMQ's flows and Celery's canvas. */
public final class FlowsBench extends RatesBench {

    private static final List<Shape> SHAPES = List.of(Shape.CHAINS, Shape.GROUPS);

    @Override
    public String name() {
        return "task-flows";
    }

    @Override
    public String question() {
        return "no-op leaves of chains and groups a second, creation included, beside BullMQ's flows and Celery's canvas";
    }

    @Override
    void start(Lab lab, RedisServer redis, Starters starters) throws Exception {
        List<Peer> peers = new ArrayList<>();
        for (InstalledPeer installed : PeerKind.install(lab, PeerKind.BULLMQ, PeerKind.CELERY)) {
            peers.add(starters.peer(installed, redis));
        }
        Executors executors = Executors.oneThread(lab, "executor");
        for (Shape shape : SHAPES) {
            List<String> same = peers.stream()
                    .map(peer -> starters.add(new PeerContender(peer, shape.peerWord(), shape.words(), redis.pid())))
                    .toList();
            for (Supply supply : Supply.values()) {
                starters.add(
                        TreesContender.start(
                                lab,
                                shape,
                                supply,
                                executors.program(),
                                lab.pace().slots(),
                                redis),
                        same);
            }
        }
    }
}
