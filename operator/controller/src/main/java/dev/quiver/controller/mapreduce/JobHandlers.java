package dev.quiver.controller.mapreduce;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.quiver.controller.run.HandlerCondition.Wanted;
import dev.quiver.controller.tree.TreeLayout;
import dev.quiver.crds.v1alpha1.MapReduceJobSpec;

/** The functions of a job, each with its pool once. Pure. */
final class JobHandlers {

    private JobHandlers() {}

    static List<Wanted> wanted(JobView view) {
        MapReduceJobSpec spec = view.spec();
        Map<String, Wanted> all = new LinkedHashMap<>();
        spec.work()
                .parts()
                .forEach((field, part) -> part.handlerName()
                        .ifPresent(handler ->
                                add(all, field, function(view, field, handler), JobView.poolOf(spec, part))));
        spec.work()
                .combining()
                .flatMap(combine -> combine.handlerName())
                .ifPresent(handler -> add(all, "combine", handler, JobView.poolOf(spec, spec.process())));
        return List.copyOf(all.values());
    }

    /** On the wire of a queue a pool may run a type by functions of another name. */
    private static String function(JobView view, String field, String handler) {
        if (view.layout() instanceof TreeLayout.Own) {
            return handler;
        }
        String type = view.spec().queueType();
        return view.pools()
                .get(view.spec().workerPoolRef().name())
                .serving()
                .flatMap(pool -> pool.getSpec().foreignKeys())
                .map(keys -> keys.handlerOf(type) + "." + field)
                .orElse(handler);
    }

    private static void add(Map<String, Wanted> all, String field, String handler, String pool) {
        all.putIfAbsent(pool + "/" + handler, new Wanted("spec." + field + ".handler", handler, pool));
    }
}
