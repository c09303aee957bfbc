package dev.quiver.e2e.quiver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

import com.fasterxml.jackson.databind.JsonNode;

import dev.quiver.crds.v1alpha1.TaskNodeCounts;
import dev.quiver.crds.v1alpha1.TaskState;
import dev.quiver.crds.v1alpha1.TaskStatus;

/**
 * A Task in an accident. A group of leaves, of which most take a second, one in five fails, and the last ones wait for the
 * test. Then a leaf that gets all their results.
 */
final class TaskWork implements AllKinds.Work {

    private static final int LEAVES = 60;
    private static final int FREE = 40;
    private static final int FAILING = 5; // one in so many
    private static final int COMPOSITES = 2;

    private static final String SCRIPT = """
            sleep 1; [ {i} -lt {free} ] || {wait}; echo ends; [ $(({i} % {failing})) != 0 ]; printf {i} > $QUIVER_OUTPUT""";

    private final Space space;
    private final Tree tree;

    private TaskWork(Space space) {
        this.space = space;
        String leaves = IntStream.range(0, LEAVES)
                .mapToObj(i -> """
                            - {name: leaf-%d, maxTrials: 1, command: [sh, -ec, '%s']}
                        """.formatted(i, script(i)))
                .collect(Collectors.joining());
        String names = IntStream.range(0, LEAVES).mapToObj(i -> "leaf-" + i).collect(Collectors.joining(", "));
        space.patientPool("trees", 2, 2);
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: tree}
                spec:
                  workerPoolRef: {name: trees}
                  root: all
                  nodes:
                    - {name: all, chain: [leaves, merge]}
                    - {name: leaves, group: [%s], onChildError: Continue}
                    - {name: merge, command: [sh, -c, 'head -c $QUIVER_INPUT_LENGTH $QUIVER_INPUT > $QUIVER_OUTPUT']}
                %s
                """.formatted(names, leaves));
        this.tree = space.tree("tree");
    }

    private static String script(int leaf) {
        return SCRIPT.replace("{i}", Integer.toString(leaf))
                .replace("{free}", Integer.toString(FREE))
                .replace("{failing}", Integer.toString(FAILING))
                .replace("{wait}", Gate.WAIT);
    }

    static AllKinds.Work begin(Space space) {
        return new TaskWork(space);
    }

    @Override
    public int tasks() {
        return LEAVES;
    }

    @Override
    public void awaitMidway() {
        tree.awaitNodes(4);
    }

    @Override
    public void awaitGoesOn() {
        tree.awaitNodes(FREE / 2);
    }

    @Override
    public void assertRight() {
        TaskStatus end = new Gate(space).letEnd(tree);
        assertThat(end.state()).as("%s", end).isEqualTo(TaskState.FINISHED);
        assertThat(end.nodes())
                .returns((long) LEAVES + 1 + COMPOSITES, TaskNodeCounts::finished)
                .returns((long) LEAVES / FAILING, TaskNodeCounts::failed);
        List<String> results = StreamSupport.stream(end.result().get(0).spliterator(), false)
                .map(JsonNode::toString)
                .toList();
        assertThat(results)
                .containsExactlyElementsOf(IntStream.range(0, LEAVES)
                        .mapToObj(i -> i % FAILING == 0 ? "null" : Integer.toString(i))
                        .toList());
    }
}
