package dev.quiver.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

import com.puppycrawl.tools.checkstyle.Checker;
import com.puppycrawl.tools.checkstyle.ConfigurationLoader;
import com.puppycrawl.tools.checkstyle.PropertiesExpander;
import com.puppycrawl.tools.checkstyle.api.AuditEvent;
import com.puppycrawl.tools.checkstyle.api.AuditListener;
import com.puppycrawl.tools.checkstyle.api.CheckstyleException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The build refuses an import that goes up a floor, or from one kind of work to another: wrong ones are planted here. */
class ImportRulesTest {

    private static final Path RULES = rules();

    @TempDir
    private Path folder;

    private static Path rules() {
        return Stream.iterate(Path.of("").toAbsolutePath(), Path::getParent)
                .map(parent -> parent.resolve(".mvn"))
                .filter(house -> Files.exists(house.resolve("import-control.xml")))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({
        "lifecycle.redis, lifecycle.keyspace.Keyspace",
        "lifecycle.execution, lifecycle.redis.RedisStore",
        "lifecycle.keyspace, lifecycle.worker.Claim",
        "lifecycle.worker, lifecycle.ordinals.OrdinalKeys",
        "lifecycle.worker, lifecycle.taskset.TaskSetControl",
        "lifecycle.ordinals, lifecycle.taskset.TaskSetControl",
        "lifecycle.ordinals, lifecycle.Lifecycle",
        "lifecycle.ordinals, lifecycle.mapreduce.JobControl",
        "lifecycle.taskset, lifecycle.Lifecycle",
        "lifecycle.taskset, lifecycle.mapreduce.JobControl",
        "lifecycle.task, lifecycle.taskset.TaskSetControl",
        "lifecycle.task, lifecycle.mapreduce.JobReader",
        "lifecycle.task.keys, lifecycle.task.model.TaskTree",
        "lifecycle.task.rows, lifecycle.task.results.TaskResults",
        "lifecycle.task.commands, lifecycle.task.tree.TaskTrees",
        "lifecycle.task.queue, lifecycle.task.tree.TaskTrees",
        "lifecycle.task.tree, lifecycle.taskset.TaskSetControl",
        "lifecycle.mapreduce, lifecycle.taskset.TaskSetControl",
        "lifecycle.taskset, crds.TaskSet",
        "lifecycle.task.queue, lifecycle.wires.idoit.IdoitQueues",
        "lifecycle.mapreduce, lifecycle.wires.queue.QueueTrees",
        "lifecycle.wires.idoit, lifecycle.wires.queue.QueueTrees",
        "lifecycle.wires.queue, lifecycle.wires.idoit.IdoitTrees",
        "lifecycle.worker, lifecycle.wires.idoit.IdoitQueues",
        "supervisor, lifecycle.wires.idoit.IdoitQueues",
        "controller.task, lifecycle.wires.idoit.IdoitTrees",
        "controller.mapreduce, lifecycle.wires.queue.QueueTrees",
        "controller.pool, lifecycle.wires.queue.QueueGrants",
        "client, lifecycle.wires.idoit.IdoitTrees",
        "supervisor.engine, lifecycle.taskset.TaskSetControl",
        "supervisor.engine, lifecycle.ordinals.ExecutionSpec",
        "supervisor.engine, lifecycle.worker.SourceKind",
        "supervisor.engine.session, lifecycle.taskset.TaskSetControl",
        "supervisor.engine.session, lifecycle.worker.SessionCalls",
        "supervisor.engine.slots, lifecycle.worker.SourceKind",
        "supervisor.engine.slots, lifecycle.ordinals.ExecutionSpec",
        "supervisor.engine.store, lifecycle.worker.Claim",
        "supervisor, lifecycle.worker.SourceKinds",
        "controller, lifecycle.worker.SourceKind",
        "controller, lifecycle.worker.SessionCalls",
        "controller.run, controller.tree.TreePlan",
        "controller.tree, controller.task.TaskContext",
        "controller.tree, crds.v1alpha1.MapReduceJobSpec",
        "controller.tree, crds.v1alpha1.TaskSpec",
        "controller.task, controller.mapreduce.MapReduceContext",
        "controller.mapreduce, controller.task.TaskContext",
        "bench, lifecycle.worker.SessionCalls",
        "history.store, history.query.Runs",
        "history.query, history.web.Router",
        "history.persist, history.web.Router",
        "history.web, history.persist.Persister",
        "history, lifecycle.worker.Claim",
    })
    void refusesAnImportThatIsPlanted(String from, String to) throws Exception {
        assertThat(refused(from, "Planted", to)).singleElement().asString().contains(to);
    }

    @ParameterizedTest
    @CsvSource({
        "lifecycle.worker, lifecycle.keyspace.Keyspace",
        "lifecycle.ordinals, lifecycle.worker.SourceKind",
        "lifecycle.taskset, lifecycle.ordinals.OrdinalKeys",
        "lifecycle.task, lifecycle.ordinals.OrdinalKind",
        "lifecycle.task.queue, lifecycle.task.commands.TaskCommands",
        "lifecycle.mapreduce, lifecycle.task.tree.TaskTrees",
        "lifecycle, lifecycle.taskset.TaskSetControl",
        "lifecycle, lifecycle.wires.idoit.IdoitTrees",
        "controller.mapreduce, controller.tree.TreePlan",
        "controller.task, controller.tree.TreePlan",
        "supervisor.engine.session, lifecycle.worker.WorkSource",
        "controller, lifecycle.worker.PoolControl",
    })
    void allowsAnImportOfAFloorBelow(String from, String to) throws Exception {
        assertThat(refused(from, "Planted", to)).isEmpty();
    }

    @Test
    void allowsATestOfAKindTheEntranceAndNoProgram() throws Exception {
        assertThat(refused("lifecycle.taskset", "PlantedIT", "lifecycle.Lifecycle"))
                .isEmpty();
        assertThat(refused("lifecycle.ordinals", "PlantedIT", "lifecycle.taskset.TaskSetControl"))
                .hasSize(1);
    }

    /**
     * The faults that the build's own configuration finds in a class of this package with this import, its imports
     * alone.
     */
    private List<String> refused(String from, String name, String to) throws IOException, CheckstyleException {
        Path file = folder.resolve(name + ".java");
        Files.writeString(
                file,
                "package dev.quiver." + from + ";\n\nimport dev.quiver." + to + ";\n\nclass " + name + " extends "
                        + to.substring(to.lastIndexOf('.') + 1) + " {}\n");
        Properties properties = new Properties();
        properties.setProperty("house", RULES.toString());
        Checker checker = new Checker();
        List<String> refused = new ArrayList<>();
        try {
            checker.setModuleClassLoader(Checker.class.getClassLoader());
            checker.configure(ConfigurationLoader.loadConfiguration(
                    RULES.resolve("checkstyle.xml").toString(), new PropertiesExpander(properties)));
            checker.addListener(new Refused(refused));
            checker.process(List.of(file.toFile()));
        } finally {
            checker.destroy();
        }
        return refused;
    }

    private record Refused(List<String> found) implements AuditListener {

        @Override
        public void addError(AuditEvent event) {
            found.add(event.getMessage());
        }

        @Override
        public void addException(AuditEvent event, Throwable problem) {
            throw new IllegalStateException(problem);
        }

        @Override
        public void auditStarted(AuditEvent event) {}

        @Override
        public void auditFinished(AuditEvent event) {}

        @Override
        public void fileStarted(AuditEvent event) {}

        @Override
        public void fileFinished(AuditEvent event) {}
    }
}
