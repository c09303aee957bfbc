package dev.quiver.bench.latency;

import java.io.IOException;
import java.time.Duration;

import dev.quiver.bench.peer.Peer;

/**
 * A peer, which works and measures in its own process.
 *
 * @param apart whether another process enqueues
 */
record PeerServer(Peer peer, boolean apart) implements Server {

    private static final Duration WARM_UP = Duration.ofSeconds(3);

    @Override
    public String name() {
        return peer.name() + (apart ? ", producer apart" : "");
    }

    @Override
    public void warmUp(HalfLoad load) throws IOException {
        peer.fill(load.warmUps());
        peer.run(load.slots(), Duration.ZERO, WARM_UP);
        peer.clear();
    }

    @Override
    public Waits turn(HalfLoad load) throws IOException {
        Peer.Latencies seen = peer.latency(load.slots(), load.perSecond(), load.work(), load.time(), apart);
        return Waits.of(seen.sent(), seen.micros());
    }

    @Override
    public void close() throws IOException {
        peer.close();
    }
}
