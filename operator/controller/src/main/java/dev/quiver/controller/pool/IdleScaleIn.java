package dev.quiver.controller.pool;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * The pods that leave a pool which follows its work. None that runs a task is deleted. A pod is told to take no more work
 * first, and deleted once its worker says that it drains and runs nothing. A pod that cannot have a task goes at once. Pure.
 *
 * @param most pods that the pool may have. A busy pod above them is told to take no more work
 * @param marks what pods were told, by uid
 */
record IdleScaleIn(int most, Map<String, DrainMark> marks) {

    /**
     * The choice.
     *
     * @param delete pods that go now
     * @param drain pods that are to take no more work
     */
    record Leaving(List<WorkerPod> delete, List<WorkerPod> drain) {}

    /**
     * Chooses among pods of the present template.
     *
     * @param live number of all pods that are not on their way out
     * @param surplus pods that are to leave
     */
    Leaving choose(List<WorkerPod> pods, int live, int surplus) {
        List<WorkerPod> delete = new ArrayList<>();
        List<WorkerPod> drain = new ArrayList<>();
        int above = Math.max(0, live - most);
        for (WorkerPod pod : pods.stream().sorted(order()).toList()) {
            int leaving = delete.size() + drain.size();
            if (leaving >= (pod.busy() ? Math.min(surplus, above) : surplus)) {
                continue;
            }
            if (pod.busySlots().isEmpty() && !pod.available()) {
                delete.add(pod);
            } else if (pod.busySlots().isPresent()) {
                (answered(pod) ? delete : drain).add(pod);
            }
        }
        return new Leaving(delete, drain);
    }

    private Comparator<WorkerPod> order() {
        return Comparator.comparing(WorkerPod::available)
                .thenComparing(WorkerPod::busy)
                .thenComparing(pod -> !marked(pod))
                .thenComparing(ScaleInOrder.FIRST_TO_DELETE);
    }

    private boolean answered(WorkerPod pod) {
        DrainMark mark = marks.get(pod.uid());
        return mark != null && mark.answered(pod);
    }

    private boolean marked(WorkerPod pod) {
        DrainMark mark = marks.get(pod.uid());
        return mark == null ? pod.draining() : mark.drains();
    }
}
