package dev.quiver.bench.latency;

import java.io.IOException;

import dev.quiver.bench.peer.Peer;

/** A peer, which enqueues, works and measures in its own process. */
record PeerServer(Peer peer) implements Server {

    @Override
    public String name() {
        return peer.name();
    }

    @Override
    public Waits turn(HalfLoad load) throws IOException {
        Peer.Latencies seen = peer.latency(load.slots(), load.perSecond(), load.work(), load.time());
        return Waits.of(seen.sent(), seen.micros());
    }

    @Override
    public void close() throws IOException {
        peer.close();
    }
}
