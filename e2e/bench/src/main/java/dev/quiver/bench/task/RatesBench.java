package dev.quiver.bench.task;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.quiver.bench.Bench;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.peer.InstalledPeer;
import dev.quiver.bench.peer.Peer;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.bench.throughput.Contender;
import dev.quiver.bench.throughput.Rounds;

/** Tasks a second of Quiver and of peers, all in turn on one Redis. */
abstract class RatesBench implements Bench {

    /** Those that are measured, in the order of their first round. They end with this, the last one first. */
    static final class Starters implements Closeable {
        private final List<Contender> contenders = new ArrayList<>();
        private final Map<String, List<String>> comparisons = new LinkedHashMap<>();
        private final List<String> versions = new ArrayList<>();
        private final Deque<Closeable> toClose = new ArrayDeque<>();

        /** Starts a peer and notes its version. */
        Peer peer(InstalledPeer installed, RedisServer redis) throws IOException {
            versions.add(installed.version());
            return Peer.start(installed, redis.port(), redis.port());
        }

        /** One more; returns its name. */
        String add(Contender contender) {
            contenders.add(contender);
            toClose.push(contender);
            return contender.name();
        }

        /** One of ours more, which does the same as these peers. */
        void add(Contender contender, List<String> peers) {
            comparisons.put(add(contender), List.copyOf(peers));
        }

        @Override
        public void close() throws IOException {
            while (!toClose.isEmpty()) {
                toClose.pop().close();
            }
        }
    }

    /** Starts all. */
    abstract void start(Lab lab, RedisServer redis, Starters starters) throws Exception;

    @Override
    public final Report run(Lab lab) throws Exception {
        try (RedisServer redis = RedisServer.start(lab);
                Starters all = new Starters()) {
            start(lab, redis, all);
            List<String> text = new ArrayList<>(List.of(redis.described()));
            text.addAll(all.versions);
            Rates rates = new Rates(
                    name(), Rounds.measure(all.contenders, lab.pace().slots(), redis, lab.pace()), all.comparisons);
            text.addAll(rates.text(all.contenders));
            return new Report(text, rates.figures());
        }
    }
}
