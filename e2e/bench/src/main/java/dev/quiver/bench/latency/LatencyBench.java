package dev.quiver.bench.latency;

import java.util.List;

import dev.quiver.bench.Lab;
import dev.quiver.bench.peer.Peer;
import dev.quiver.bench.peer.PeerKind;
import dev.quiver.bench.redis.RedisServer;

/** From enqueue to start: the tasks of an open TaskSet. */
public final class LatencyBench extends WaitsBench {

    @Override
    public String name() {
        return "latency";
    }

    @Override
    public String question() {
        return "from enqueue to start on warm workers at half load (aims: p50 below 1 ms, p99 below 10 ms)";
    }

    @Override
    PeerKind[] peers() {
        return new PeerKind[] {PeerKind.ASYNQ, PeerKind.BULLMQ};
    }

    @Override
    List<Server> of(Peer peer, PeerKind kind) {
        Server one = new PeerServer(peer, false);
        return kind == PeerKind.BULLMQ ? List.of(one, new PeerServer(peer, true)) : List.of(one);
    }

    @Override
    void startOurs(Lab lab, RedisServer redis, HalfLoad load, List<Server> servers) throws Exception {
        servers.add(QuiverServer.start(lab, redis.port(), load));
    }

    @Override
    String described(HalfLoad load) {
        return "%d slots, tasks of %d ms arriving at random, %d a second"
                .formatted(load.slots(), load.work().toMillis(), load.perSecond());
    }
}
