package dev.quiver.e2e.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * The accidents of a run in their order. All of it is drawn from a seed before the first one happens. So no later one
 * depends on what became of an earlier one.
 */
record AccidentPlan(List<Step> steps) {

    private static final int LEAST_APART = 20; // tasks
    private static final int LEAST_HOLD = 5; // seconds
    private static final int MOST_HOLD = 15;

    /**
     * One of them.
     *
     * @param due happens when at least so many tasks of the first run are decided
     * @param run which of the runs that go on, as a share of their number: 0 to below 1
     * @param pod which of the run's workers that are ready, likewise
     * @param hold for how long the memory stays full
     */
    record Step(Accident accident, int due, double run, double pod, Duration hold) {

        @Override
        public String toString() {
            return accident + " at " + due
                    + (accident == Accident.MEMORY_FULL ? " for " + hold.toSeconds() + " s" : "");
        }
    }

    /**
     * Each kind, those of workers twice, in any order.
     *
     * @param last tasks that are decided when the last one is due, at most
     */
    static AccidentPlan of(long seed, int last) {
        Random random = new Random(seed);
        List<Accident> all = new ArrayList<>(List.of(Accident.values()));
        all.addAll(List.of(Accident.SUPERVISOR_KILLED, Accident.AGENT_KILLED));
        Collections.shuffle(all, random);
        List<Step> steps = new ArrayList<>();
        int due = 0;
        for (Accident accident : all) {
            due += LEAST_APART + random.nextInt(last / all.size() - LEAST_APART);
            Duration hold = Duration.ofSeconds(random.nextInt(LEAST_HOLD, MOST_HOLD));
            steps.add(new Step(accident, due, random.nextDouble(), random.nextDouble(), hold));
        }
        return new AccidentPlan(List.copyOf(steps));
    }

    /** One of a list by its share, see {@link Step}. */
    static <T> T pick(List<T> all, double share) {
        return all.get((int) (all.size() * share));
    }

    @Override
    public String toString() {
        return steps.stream().map(Step::toString).collect(Collectors.joining(", "));
    }
}
