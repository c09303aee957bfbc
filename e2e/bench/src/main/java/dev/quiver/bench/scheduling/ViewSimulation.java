package dev.quiver.bench.scheduling;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;

import dev.quiver.bench.Aims;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.worker.Claim;

/**
 * A person looks at one of 200 conversations, and at another one every five seconds, while a backlog of tasks is worked off.
 * The clock is simulated; which task is next, Redis says by the calls of a program and of a worker.
 */
record ViewSimulation(RedisServer redis, SchedulingSizes sizes, Aims aims) {

    private static final int CONVERSATIONS = 200;
    private static final int SLOTS = 16;
    private static final double A_SECOND = 76;
    private static final double TASK = 0.2;
    private static final double DWELL = 5;

    /** Tasks of the first seconds are there at once. */
    private static final double BACKLOG = 120;

    /** How tasks of the conversation in view come first. */
    enum Way {
        ARRIVAL("in order of arrival"),
        AT_CREATION("priority fixed at creation, as BullMQ's"),
        BOOSTS("boosts");

        private final String words;

        Way(String words) {
            this.words = words;
        }
    }

    private record Arrival(double at, int conversation, double length) {}

    private record End(double at, Claim claim) {}

    /** A task that waits. */
    private static final class Waiting {
        private final Arrival arrival;
        /** When it came into view; negative before that. */
        private double seen = -1;

        private Waiting(Arrival arrival) {
            this.arrival = arrival;
        }
    }

    void measure(Way way, long seed) {
        try (PoolWork pool = new PoolWork(redis.port(), "view-" + way.ordinal())) {
            new Run(pool, way, new Random(seed)).all();
        }
    }

    private final class Run {

        private final PoolWork pool;
        private final Way way;
        private final List<Arrival> arrivals = new ArrayList<>();
        private final List<Integer> views = new ArrayList<>();
        private final Map<String, Waiting> waiting = new HashMap<>();
        private final PriorityQueue<End> running =
                new PriorityQueue<>((one, other) -> Double.compare(one.at, other.at));
        private final Times waits = new Times();
        private int missed;
        private int arrived;
        private int moved;
        private int view = -1;

        private Run(PoolWork pool, Way way, Random random) {
            this.pool = pool;
            this.way = way;
            double at = 0;
            while (at < sizes.viewed()) {
                at += -Math.log(1 - random.nextDouble()) / A_SECOND;
                int conversation = random.nextInt(CONVERSATIONS);
                double length = -Math.log(1 - random.nextDouble()) * TASK;
                arrivals.add(new Arrival(at < BACKLOG ? 0 : at, conversation, length));
            }
            for (double move = 0; move < sizes.viewed(); move += DWELL) {
                views.add(random.nextInt(CONVERSATIONS));
            }
        }

        private void all() {
            double now = 0;
            while (true) {
                happen(now);
                for (Claim claim : pool.step(ended(now), SLOTS - running.size())) {
                    running.add(new End(now + started(claim, now), claim));
                }
                if (running.isEmpty() && arrived == arrivals.size()) {
                    break;
                }
                now = Math.max(now, next());
            }
            aims.add("in view, " + way.words + ": mean wait", waits.mean(), "s");
            aims.add("in view, " + way.words + ": p99", waits.percentile(99), "s");
            aims.add("in view, " + way.words + ": not run while looked at", 100.0 * missed / waits.count(), "%");
        }

        private double next() {
            double end = running.isEmpty() ? Double.MAX_VALUE : running.peek().at();
            double come = running.size() < SLOTS && arrived < arrivals.size()
                    ? arrivals.get(arrived).at()
                    : Double.MAX_VALUE;
            return Math.min(end, come);
        }

        private List<Claim> ended(double now) {
            List<Claim> ended = new ArrayList<>();
            while (!running.isEmpty() && running.peek().at() <= now) {
                ended.add(running.remove().claim());
            }
            return ended;
        }

        /** Moves of the view and arrivals up to this time, in their order. */
        private void happen(double now) {
            while (true) {
                double move = moved < views.size() ? moved * DWELL : Double.MAX_VALUE;
                double come = arrived < arrivals.size() ? arrivals.get(arrived).at() : Double.MAX_VALUE;
                if (Math.min(move, come) > now) {
                    return;
                }
                if (move <= come) {
                    look(move);
                } else {
                    arrive(come);
                }
            }
        }

        private void look(double at) {
            view = views.get(moved++);
            if (way == Way.BOOSTS) {
                pool.boost(Map.of("view:" + view, 1000));
            }
            waiting.values().stream()
                    .filter(task -> task.arrival.conversation() == view)
                    .forEach(task -> task.seen = at);
        }

        /** All that come at this time, in one call where they are many. */
        private void arrive(double at) {
            int from = arrived;
            while (arrived < arrivals.size() && arrivals.get(arrived).at() == at) {
                arrived++;
            }
            List<String> ids = pool.make(arrived - from, i -> rank(arrivals.get(from + i)));
            for (int i = 0; i < ids.size(); i++) {
                Waiting task = new Waiting(arrivals.get(from + i));
                task.seen = task.arrival.conversation() == view ? at : -1;
                waiting.put(ids.get(i), task);
            }
        }

        private Rank rank(Arrival arrival) {
            return switch (way) {
                case ARRIVAL -> Rank.NONE;
                case AT_CREATION -> new Rank(arrival.conversation() == view ? 1 : 0, List.of(), Optional.empty());
                case BOOSTS -> new Rank(0, List.of("view:" + arrival.conversation()), Optional.empty());
            };
        }

        /** Notes how long it waited; returns how long it runs. */
        private double started(Claim claim, double now) {
            Waiting task = waiting.remove(claim.id());
            if (task.seen >= 0) {
                boolean inView = task.arrival.conversation() == view;
                waits.add(inView ? now - task.seen : DWELL);
                missed += inView ? 0 : 1;
            }
            return task.arrival.length();
        }
    }
}
