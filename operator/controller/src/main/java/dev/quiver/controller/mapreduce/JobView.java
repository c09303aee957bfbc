package dev.quiver.controller.mapreduce;

import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.quiver.controller.reconcile.Built;
import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.run.Pace;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.store.RecordBacklog;
import dev.quiver.controller.tree.ObservedTree;
import dev.quiver.controller.tree.TreeLayout;
import dev.quiver.controller.tree.TreeView;
import dev.quiver.controller.tree.WorkHash;
import dev.quiver.crds.v1alpha1.MapReduceJob;
import dev.quiver.crds.v1alpha1.MapReduceJobSpec;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.crds.v1alpha1.MapReduceWire;
import dev.quiver.crds.v1alpha1.MapReduceWorker;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.mapreduce.ChunkCounts;
import dev.quiver.lifecycle.task.model.Blockage;
import dev.quiver.lifecycle.task.schedule.ScheduleReport;

/**
 * The facts about a job at the start of a reconcile.
 *
 * @param store the job; of a schedule that of its latest run
 * @param input read where Redis does not have the work
 * @param pace of its chunks
 * @param layout of it in Redis
 * @param prefixes those that namespaces were granted
 * @param blockage the resources that its queued work waits for
 * @param backlog of history in its keyspace; absent while it is not known
 */
@Built
record JobView(
        MapReduceJob job,
        MapReduceJobStatus before,
        Keyspace keyspace,
        ObservedStore<ObservedJob> store,
        Optional<ScheduleReport> schedule,
        Map<String, ObservedPool> pools,
        JobInput input,
        boolean adjusted,
        Pace pace,
        TreeLayout layout,
        GrantedPrefixes prefixes,
        Instant now,
        Blockage blockage,
        Optional<RecordBacklog> backlog)
        implements TreeView {

    JobView {
        blockage = blockage == null ? Blockage.NONE : blockage;
    }

    @Override
    public MapReduceJob run() {
        return job;
    }

    @Override
    public MapReduceJobSpec spec() {
        return job.getSpec();
    }

    @Override
    public Optional<ObservedTree> tree() {
        return store.snapshot().map(ObservedJob::tree);
    }

    Optional<ChunkCounts> chunks() {
        return store.snapshot().flatMap(ObservedJob::chunks);
    }

    @Override
    public boolean accepted() {
        return before.state() != null || before.schedule() != null;
    }

    @Override
    public String workHash() {
        MapReduceJobSpec spec = spec();
        return WorkHash.of(spec.input(), spec.work(), spec.chunks(), spec.scratch());
    }

    /** The layout of a job. Once its status names a prefix, it is there or nowhere. */
    static TreeLayout layout(
            MapReduceJobSpec spec, MapReduceJobStatus before, String namespace, GrantedPrefixes prefixes) {
        return spec.wire() == MapReduceWire.Quiver
                ? new TreeLayout.Own()
                : TreeLayout.foreign(
                        prefixes.place(
                                namespace,
                                Optional.ofNullable(before.grantedPrefix()),
                                "the job",
                                spec.wire().name()),
                        spec.workerPoolRef().name(),
                        Optional.of(spec.queueType()));
    }

    /** The name of the pool of a part. */
    static String poolOf(MapReduceJobSpec spec, MapReduceWorker part) {
        return part.workerPoolRef() == null
                ? spec.workerPoolRef().name()
                : part.workerPoolRef().name();
    }

    /** The names of all pools that a spec names, that of spec.workerPoolRef first. */
    static Set<String> poolNames(MapReduceJobSpec spec) {
        Set<String> names = new LinkedHashSet<>();
        names.add(spec.workerPoolRef().name());
        spec.work().parts().values().forEach(part -> names.add(poolOf(spec, part)));
        return names;
    }
}
