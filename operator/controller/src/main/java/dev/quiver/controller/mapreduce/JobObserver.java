package dev.quiver.controller.mapreduce;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.run.RunMemory;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.tree.TreeBlockage;
import dev.quiver.controller.tree.TreeHome;
import dev.quiver.controller.tree.TreeLayout;
import dev.quiver.controller.tree.TreeReader;
import dev.quiver.controller.tree.TreeView;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.MapReduceJob;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.model.Blockage;
import dev.quiver.lifecycle.task.model.Trees;

/** Collects the facts about a job: from the informers, from the memory, from ConfigMaps, and from Redis. Thread-safe. */
record JobObserver(MapReduceContext context, TreeHome<MapReduceJobStatus, MapReduceJob> home) {

    /** The facts now. A job that is not finished is followed from here on. */
    JobView observe(MapReduceJob job, RunMemory.Spec present) {
        Instant now = context.shared().clock().instant();
        MapReduceJobStatus before = home.current(job);
        Keyspace keyspace = home.keyspace(job, before);
        boolean finished = Conditions.isTrue(before.conditions(), ConditionType.Finished);
        TreeLayout layout = layout(job, before);
        if (!finished) {
            home.memory().follow(job, keyspace);
        }
        var look = context.reader()
                .look(
                        job,
                        job.getSpec(),
                        before,
                        keyspace,
                        layout,
                        tree -> find(job, keyspace, layout, tree, finished));
        home.seen(job, before, layout, look.tree().snapshot().map(ObservedJob::tree));
        Blockage blockage = job.getSpec().resources().isEmpty()
                ? Blockage.NONE
                : TreeBlockage.of(
                        context.shared().calls(),
                        context.trees(keyspace, layout),
                        layout,
                        look.tree().snapshot().map(ObservedJob::tree),
                        root -> Optional.of(new JobTree(job.getSpec()).shape(root)));
        Map<String, ObservedPool> pools = TreeView.pools(
                JobView.poolNames(job.getSpec()), name -> home.pools().pool(job, name));
        boolean adjusted =
                home.memory().hasWritten(job, present) && !TreeBlockage.hasNewAlias(blockage, pools.values());
        return JobViewBuilder.builder()
                .job(job)
                .before(before)
                .keyspace(keyspace)
                .store(look.tree())
                .schedule(look.schedule())
                .pools(pools)
                .input(finished ? new JobInput.NotRead() : input(job, look, adjusted))
                .adjusted(adjusted)
                .pace(home.memory().pace(job, look.tree().snapshot().flatMap(JobStatusCalculator::going)))
                .layout(layout)
                .prefixes(context.prefixes())
                .blockage(blockage)
                .now(now)
                .backlog(
                        layout instanceof TreeLayout.Own
                                ? context.shared().backlogs().of(keyspace)
                                : Optional.empty())
                .build();
    }

    private Optional<ObservedJob> find(
            MapReduceJob job, Keyspace keyspace, TreeLayout layout, String tree, boolean finished) {
        Trees trees = context.trees(keyspace, layout);
        return context.find(keyspace, layout, tree, new JobTree(job.getSpec()).chunks())
                .map(there -> new ObservedJob(
                        TreeReader.with(trees, tree, there.tree(), finished, MapReduceJobStatus.MAX_RESULT_BYTES),
                        there.chunks()));
    }

    /** Read where Redis does not have the work of the spec. */
    private JobInput input(MapReduceJob job, TreeReader.Look<ObservedJob> look, boolean adjusted) {
        boolean there = job.getSpec().recurring().isPresent()
                ? look.schedule().isPresent() && adjusted
                : look.tree().snapshot().isPresent();
        return there || job.getSpec().cancel()
                ? new JobInput.NotRead()
                : new InputReader(context.shared().kubernetes()).read(job);
    }

    /** Its layout in Redis. */
    TreeLayout layout(MapReduceJob job, MapReduceJobStatus status) {
        return JobView.layout(job.getSpec(), status, job.getMetadata().getNamespace(), context.prefixes());
    }
}
