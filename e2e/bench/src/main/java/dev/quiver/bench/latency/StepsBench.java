package dev.quiver.bench.latency;

import java.io.IOException;
import java.util.List;

import dev.quiver.bench.Lab;
import dev.quiver.bench.peer.Peer;
import dev.quiver.bench.peer.PeerKind;
import dev.quiver.bench.redis.RedisServer;

/** From the end of a chain's step to the start of the next one. */
public final class StepsBench extends WaitsBench {

    /** Steps of a chain. */
    static final int STEPS = 10;

    /** A peer with flows of nested jobs. */
    private record PeerSteps(Peer peer) implements Server {

        @Override
        public String name() {
            return peer.name();
        }

        @Override
        public void warmUp(HalfLoad load) throws IOException {
            new PeerServer(peer, false).warmUp(load);
        }

        @Override
        public Waits turn(HalfLoad load) throws IOException {
            Peer.Latencies seen = peer.steps(load.slots(), load.perSecond() / STEPS, load.work(), load.time(), STEPS);
            return Waits.of(seen.sent(), seen.micros());
        }

        @Override
        public void close() throws IOException {
            peer.close();
        }
    }

    @Override
    public String name() {
        return "task-steps";
    }

    @Override
    public String question() {
        return "from the end of a chain's step to the start of the next one at half load"
                + " (aims: p50 below 1 ms, p99 below 10 ms)";
    }

    @Override
    PeerKind[] peers() {
        return new PeerKind[] {PeerKind.BULLMQ};
    }

    @Override
    List<Server> of(Peer peer, PeerKind kind) {
        return List.of(new PeerSteps(peer));
    }

    @Override
    void startOurs(Lab lab, RedisServer redis, HalfLoad load, List<Server> servers) throws Exception {
        for (StepsServer.Next next : StepsServer.Next.values()) {
            servers.add(StepsServer.start(lab, redis.port(), load, next));
        }
    }

    @Override
    String described(HalfLoad load) {
        return "%d slots, chains of %d steps of %d ms arriving at random, %d a second"
                .formatted(load.slots(), STEPS, load.work().toMillis(), load.perSecond() / STEPS);
    }
}
