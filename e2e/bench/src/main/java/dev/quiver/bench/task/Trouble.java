package dev.quiver.bench.task;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

import dev.quiver.bench.Waiting;
import dev.quiver.bench.process.Child;
import dev.quiver.bench.quiver.Worker;

/** Kills and stops processes of pods at random, and starts those of a container again as the kubelet does. */
final class Trouble {

    private static final Duration PAUSE = Duration.ofMillis(1_500);

    /** Beyond the lease of a session now and then. */
    private static final long LONGEST_STOP_MILLIS = 20_000;

    /** A process that goes on at a time. */
    private record Stopped(long pid, long until) {}

    private final Pods pods;
    private final List<Stopped> stopped = new ArrayList<>();
    private final RandomGenerator random = RandomGenerator.getDefault();
    private int kills;
    private int stops;

    Trouble(Pods pods) {
        this.pods = pods;
    }

    /** Strikes once, and lets some time pass. */
    void make() throws Exception {
        long pid = victim(pods.worker(random.nextInt(pods.size())));
        if (random.nextBoolean()) {
            Child.signal(pid, "KILL");
            kills++;
        } else if (stopped.stream().noneMatch(it -> it.pid() == pid)) {
            Child.signal(pid, "STOP");
            long millis = random.nextLong(LONGEST_STOP_MILLIS);
            stopped.add(new Stopped(pid, System.nanoTime() + millis * 1_000_000));
            stops++;
        }
        Waiting.letPass(PAUSE);
        goOn(System.nanoTime());
        pods.revive();
    }

    /** The supervisor, the agent, or one of the agent's handlers. */
    private long victim(Worker worker) {
        long agent = worker.executor().pid();
        List<Long> handlers = ProcessHandle.of(agent).stream()
                .flatMap(ProcessHandle::descendants)
                .map(ProcessHandle::pid)
                .toList();
        return switch (random.nextInt(3)) {
            case 0 -> worker.supervisor().pid();
            case 1 -> agent;
            default -> handlers.isEmpty() ? agent : handlers.get(random.nextInt(handlers.size()));
        };
    }

    private void goOn(long now) throws IOException {
        for (Stopped it : List.copyOf(stopped)) {
            if (it.until() <= now) {
                Child.signal(it.pid(), "CONT");
                stopped.remove(it);
            }
        }
    }

    /** All that is stopped goes on. */
    void end() throws IOException {
        goOn(Long.MAX_VALUE);
    }

    /** The disturbance, in words. */
    String described() {
        return kills + " times kill -9 and " + stops + " times SIGSTOP for up to " + LONGEST_STOP_MILLIS / 1000
                + " s of a supervisor, an agent or a handler";
    }
}
