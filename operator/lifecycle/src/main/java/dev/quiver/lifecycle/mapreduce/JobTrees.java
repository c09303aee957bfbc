package dev.quiver.lifecycle.mapreduce;

import java.util.Optional;

import dev.quiver.lifecycle.task.model.Trees;

/** Map-reduce jobs that other programs create as well, each as a tree. */
public interface JobTrees extends Trees {

    /** A job as a tree for people, with its chunks once map has made them; absent where there is none of this id. */
    Optional<JobSnapshot> find(String tree);
}
