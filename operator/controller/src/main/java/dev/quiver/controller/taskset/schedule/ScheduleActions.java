package dev.quiver.controller.taskset.schedule;

import java.net.HttpURLConnection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;

import dev.quiver.controller.kube.ApiRefusal;
import dev.quiver.controller.kube.PreconditionedDelete;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSetSpec;

/**
 * Carries out a schedule's plan at the API server. Every act can be repeated. Thread-safe.
 *
 * @param client asks the API server
 */
record ScheduleActions(KubernetesClient client) {

    /**
     * Carries it out.
     *
     * @return the plan, as changed where the API server refuses the run, or another TaskSet has its name
     */
    SchedulePlan apply(ScheduleView view, SchedulePlan planned) {
        SchedulePlan plan =
                planned.begin().map(begin -> begin(view, planned, begin)).orElse(planned);
        plan.cancel().forEach(run -> patch(run, Map.of("cancel", true)));
        plan.steer().stream().filter(run -> strays(view.spec(), run)).forEach(run -> steer(view.spec(), run));
        plan.forget().forEach(run -> new PreconditionedDelete(client).of(run.set()));
        return plan;
    }

    private SchedulePlan begin(ScheduleView view, SchedulePlan plan, SchedulePlan.Begin begin) {
        TaskSet run = ScheduledRun.make(view.set(), begin.due());
        try {
            client.resource(run).create();
            return plan;
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
                return isOurs(view, run)
                        ? plan
                        : plan.missed("TaskSet " + run.getMetadata().getName() + " exists and is no run of it");
            }
            String message = ApiRefusal.of(e).map(ApiRefusal::message).orElseThrow(() -> e);
            return begin.refused()
                    .waits(
                            TaskSetReason.RunRefused,
                            "The API server refuses TaskSet "
                                    + run.getMetadata().getName() + ": " + message);
        }
    }

    /** Whether a TaskSet that was there before is the run: this leader, or one before it, made it. */
    private boolean isOurs(ScheduleView view, TaskSet run) {
        return Optional.ofNullable(client.resource(run).get())
                .flatMap(ScheduledRun::owner)
                .filter(owner -> owner.getUid().equals(view.set().getMetadata().getUid()))
                .isPresent();
    }

    private static boolean strays(TaskSetSpec wanted, ScheduledRun run) {
        TaskSetSpec spec = run.set().getSpec();
        return !run.cancelled()
                && (!spec.replicas().equals(wanted.replicas())
                        || !spec.suspend().equals(wanted.suspend())
                        || !Objects.equals(spec.maxParallelTasks(), wanted.maxParallelTasks())
                        || !Objects.equals(spec.activeDeadlineSeconds(), wanted.activeDeadlineSeconds()));
    }

    private void steer(TaskSetSpec wanted, ScheduledRun run) {
        Map<String, Object> spec = new HashMap<>();
        spec.put("replicas", wanted.replicas());
        spec.put("suspend", wanted.suspend());
        spec.put("maxParallelTasks", wanted.maxParallelTasks());
        spec.put("activeDeadlineSeconds", wanted.activeDeadlineSeconds());
        patch(run, spec);
    }

    private void patch(ScheduledRun run, Map<String, Object> spec) {
        Resource<TaskSet> there = client.resources(TaskSet.class)
                .inNamespace(run.set().getMetadata().getNamespace())
                .withName(run.set().getMetadata().getName());
        try {
            there.patch(PatchContext.of(PatchType.JSON_MERGE), Serialization.asJson(Map.of("spec", spec)));
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
                throw e;
            }
        }
    }
}
