package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

import dev.quiver.slots.rig.AgentPod;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.Patience;

/**
 * Real processes, killed at random: supervisor, agent, runners, handlers, commands. Every dispatch must end in exactly one
 * way. All that a supervisor finds when it comes back must be what Redis would know. No move of a slot's words may be
 * against the table. {@code -Dquiver.stress.seconds=300} goes on for longer, {@code -Dquiver.stress.seed} does the same
 * again as far as the machine lets it.
 */
@ResourceLock(value = Machine.PROCESSORS, mode = ResourceAccessMode.READ)
class StressIT {
    private static final Duration LENGTH = Duration.ofSeconds(Integer.getInteger("quiver.stress.seconds", 20));
    private static final Geometry GEOMETRY = new Geometry(4, SupervisorMain.BYTES, SupervisorMain.BYTES);
    private static final int HANDLER_PERCENT = 60;
    private static final Set<SlotState> SEEN =
            EnumSet.complementOf(EnumSet.of(SlotState.FAILED)); // that one is too short

    private final long seed = Long.getLong("quiver.stress.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final Ledger ledger = new Ledger();
    private AgentPod pod;
    private SupervisorProcess supervisor;
    private WordsWatch watch;

    @Test
    void endsEveryDispatchOnceAndBreaksNoRuleWhoeverIsKilled() {
        System.out.println("StressIT seed " + seed);
        try (AgentPod started = AgentPod.bare(GEOMETRY)) {
            pod = started;
            try {
                startSupervisor(BoardConfig.Start.FRESH);
                watch = new WordsWatch(pod.in().resolve("control"), GEOMETRY.slots());
                startAgent();
                killAtRandom();
                settleDown();
            } finally {
                watch.close();
                supervisor.close();
            }
            System.out.println("StressIT " + ledger + ", moves " + watch.moves());
            assertThat(ledger.isEmpty()).as(ledger.toString()).isTrue();
            assertThat(watch.wrong()).isEmpty();
            assertThat(watch.states()).containsAll(SEEN);
        }
        assertThat(ledger.count("finished true")).isPositive();
        assertThat(ledger.count("found")).isPositive();
    }

    /** Whether what it is to have met has come; a slow machine is given more time for it. */
    private boolean metEverything() {
        return watch.states().containsAll(SEEN) && ledger.count("finished true") > 0 && ledger.count("found") > 0;
    }

    private void killAtRandom() {
        long until = System.nanoTime() + LENGTH.toNanos();
        long nextKill = System.nanoTime() + Duration.ofSeconds(1).toNanos();
        long latest = until + Patience.LIMIT.toNanos();
        while (watch.wrong().isEmpty()
                && (System.nanoTime() < until || (System.nanoTime() < latest && !metEverything()))) {
            hear(5);
            if (System.nanoTime() > nextKill) {
                killSomebody();
                nextKill = System.nanoTime()
                        + Duration.ofMillis(random.nextInt(50, 800)).toNanos();
            }
        }
    }

    /** A supervisor that hands nothing new over tells the rest. */
    private void settleDown() {
        killSupervisor();
        startSupervisor(BoardConfig.Start.RESUME);
        long until = System.nanoTime() + Patience.LIMIT.toNanos();
        while (!ledger.isEmpty() && System.nanoTime() < until) {
            hear(100);
        }
    }

    private void hear(long millis) {
        String line = supervisor.next(millis);
        if (!line.isEmpty()) {
            ledger.take(line);
        }
    }

    private void startAgent() {
        pod.startAgent(Map.of(), AgentProcess.EXAMPLE);
        watch.follow(pod.agent().handle());
        supervisor.tell("auto " + random.nextLong() + " " + HANDLER_PERCENT);
    }

    private void startSupervisor(BoardConfig.Start start) {
        supervisor = SupervisorProcess.start(pod.in(), pod.out(), GEOMETRY.slots(), start, ledger.held());
        String open = supervisor.await("open ");
        ledger.take(open);
        assertThat(open).endsWith(Boolean.toString(start == BoardConfig.Start.RESUME));
    }

    private void killSupervisor() {
        supervisor.kill();
        for (String line = supervisor.next(0); !line.isEmpty(); line = supervisor.next(0)) {
            ledger.take(line); // what it said before its end is known; the rest is found again
        }
    }

    private void killSomebody() {
        switch (random.nextInt(6)) {
            case 0 -> {
                watch.forget();
                pod.agent().kill();
                startAgent();
            }
            case 1 -> kill(pod.agent().handle().children().toList());
            case 2, 3, 4 ->
                kill(pod.agent()
                        .handle()
                        .children()
                        .flatMap(ProcessHandle::children)
                        .toList());
            default -> {
                killSupervisor();
                startSupervisor(BoardConfig.Start.RESUME);
                supervisor.tell("auto " + random.nextLong() + " " + HANDLER_PERCENT);
            }
        }
    }

    private void kill(List<ProcessHandle> some) {
        if (!some.isEmpty()) {
            some.get(random.nextInt(some.size())).destroyForcibly();
        }
    }
}
