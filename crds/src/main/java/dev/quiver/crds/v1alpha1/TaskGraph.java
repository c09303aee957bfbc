package dev.quiver.crds.v1alpha1;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The nodes of a {@link Task} as trees, or the first fault that keeps them from being trees. The API server refuses what
 * its rules can see; here is the rest, which needs look-ups and walks. No I/O, no Kubernetes; time and memory grow with
 * the size of the spec, and no recursion follows its depth.
 */
public sealed interface TaskGraph {
    /** The deepest node, with the root as 1. */
    int MAX_DEPTH = 16;

    /** The most bytes of the nodes together, as compact JSON in UTF-8. */
    int MAX_BYTES = 256 * 1024;

    /** The most references to results in the arguments of a node. */
    int MAX_REFERENCES = 8;

    /** The name of the only node of a Task with {@code spec.task}. */
    String UNIT = "task";

    /** Checks the work of a spec. */
    static TaskGraph of(TaskSpec spec) {
        return new TaskGraphCheck(spec).graph();
    }

    /**
     * The nodes can run.
     *
     * @param main the tree whose root's end is that of the Task
     * @param cleanup the tree that runs at the end, in the resource {@code spec.finally}
     * @param templates for the name of each forEach the tree that is made for each element; it is no child, so it
     *     stands in no other tree
     */
    record Valid(Tree main, Optional<Tree> cleanup, Map<String, Tree> templates) implements TaskGraph {
        public Valid {
            templates = Map.copyOf(templates);
        }
    }

    /**
     * The nodes cannot run.
     *
     * @param node the name of the node at fault, or the one that no node has; empty without nodes
     * @param message the fault for people, with the node's name; for {@link TaskReason#GraphInvalid}
     */
    record Invalid(String node, String message) implements TaskGraph {}

    /**
     * Nodes in the order of their ordinals: breadth first from the root, which is 0. So the children of a node have
     * consecutive ordinals.
     *
     * @param places what stands at each ordinal; at least one
     */
    record Tree(List<Place> places) {
        public Tree {
            places = List.copyOf(places);
        }

        /** The place of the root. */
        public Place root() {
            return places.get(0);
        }

        /** The children of a place, in their order. */
        public List<Place> children(Place place) {
            return places.subList(place.first(), place.first() + place.count());
        }
    }

    /**
     * A node in a tree.
     *
     * @param node the node
     * @param parent the ordinal of its parent; of a root -1
     * @param first the ordinal of its first child; 0 without children
     * @param count how many children it has: those of a chain or group
     */
    record Place(TaskNode node, int parent, int first, int count) {}
}
