package dev.quiver.bench.throughput;

import java.io.IOException;

import dev.quiver.bench.Pace;
import dev.quiver.bench.peer.Peer;

/** A peer whose queue is filled with as many tasks as it could possibly take, and more if it took them all. */
public final class PeerContender implements Contender {

    private static final int TRIES = 4;
    /** How much more is filled than the fastest turn so far would take. */
    private static final double RESERVE = 1.7;

    private final Peer peer;
    private double fastest = 15_000;

    /** Of a peer that was started, and ends with this. */
    public PeerContender(Peer peer) {
        this.peer = peer;
    }

    @Override
    public String name() {
        return peer.name();
    }

    @Override
    public double turn(int concurrency, Pace pace) throws IOException {
        double seconds = pace.warmUp().plus(pace.window()).toMillis() / 1e3;
        for (int i = 0; i < TRIES; i++) {
            peer.fill((long) (fastest * seconds * RESERVE));
            Peer.Window window = peer.run(concurrency, pace.warmUp(), pace.window());
            if (window.left() > 0) {
                fastest = Math.max(fastest, window.rate());
                peer.clear();
                return window.rate();
            }
            fastest *= 2;
        }
        throw new IOException(name() + " ran dry " + TRIES + " times at concurrency " + concurrency);
    }

    @Override
    public void close() throws IOException {
        peer.close();
    }
}
