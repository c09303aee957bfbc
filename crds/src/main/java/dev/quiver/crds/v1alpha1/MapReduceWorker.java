package dev.quiver.crds.v1alpha1;

/** A stage of a {@link MapReduce} that may name the pool whose workers run it. */
public sealed interface MapReduceWorker extends MapReduceStage permits MapReduceMap, MapReducePart {

    /** The WorkerPool that runs it; null for that of the whole. */
    WorkerPoolRef workerPoolRef();
}
