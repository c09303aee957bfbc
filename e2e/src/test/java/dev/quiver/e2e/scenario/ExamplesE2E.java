package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.e2e.cluster.Images;
import dev.quiver.e2e.cluster.Repository;
import dev.quiver.e2e.quiver.Example;
import dev.quiver.e2e.quiver.Granted;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.ShownCommand;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Unrestricted;

/**
 * Each example that a newcomer copies ends as the words beside it promise: each file of the examples, and each run of
 * the guides.
 */
@Scenario
class ExamplesE2E {

    private static final Pattern BLOCK = Pattern.compile("^```yaml\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final YAMLMapper YAML = new YAMLMapper();
    private static final Map<String, String> SHORT = Map.of("TaskSet", "tset", "Task", "qtask", "MapReduceJob", "mrj");
    private static final String QUEUE = "mapreducejob-queue.yaml";

    @Test
    void eachFileEndsAsItsCommentPromises(
            @Unrestricted("the files that people are given ask for no security context") Space space,
            Installation quiver) {
        quiver.load(Images.archives("columns"));
        List<Example> examples = new ArrayList<>(Example.all());
        List<Example> granted = examples.stream().filter(Example::needsAGrant).toList();
        assertThat(granted)
                .as("those that other tests run")
                .containsExactly(new Example(QUEUE), new Example("task-idoit.yaml"));
        examples.removeAll(granted);
        examples.forEach(example -> example.apply(space)); // all at once: they wait more than they work
        SoftAssertions.assertSoftly(
                kept -> examples.forEach(example -> kept.assertThatCode(() -> example.keepsItsPromises(space))
                        .as(example.file())
                        .doesNotThrowAnyException()));
    }

    @Test
    void jobOfAQueueEndsAsItsCommentPromises(
            @Granted(Installation.QUEUE_PREFIX)
                    @Unrestricted("the files that people are given ask for no security context")
                    Space space,
            Installation quiver) {
        quiver.load(Images.archives("columns"));
        new Example(QUEUE).keepsItsPromises(space);
    }

    /** Runs under a granted prefix are those of the examples. */
    @ParameterizedTest
    @ValueSource(strings = {"taskset.md", "task.md", "mapreducejob.md"})
    void eachRunOfAGuideSucceeds(
            String page,
            @Unrestricted("the files that people are given ask for no security context") Space space,
            Installation quiver)
            throws IOException {
        quiver.load(Images.archives("columns"));
        new Example("workerpool.yaml").apply(space);
        space.kubectl().run("scale", "wpool/shared", "--replicas=1");
        Path guide = Repository.root().resolve("crds/guide").resolve(page);
        List<String> blocks = BLOCK.matcher(Files.readString(guide))
                .results()
                .map(block -> block.group(1))
                .filter(block -> !block.contains("wire: "))
                .toList();
        blocks.forEach(space.kubectl()::apply);
        List<ShownCommand> promises = Files.readAllLines(guide).stream()
                .filter(line -> line.startsWith("    kubectl "))
                .map(line -> ShownCommand.of(line.strip()))
                .filter(command -> command.output().isPresent())
                .toList();
        List<JsonNode> runs = runs(blocks);
        SoftAssertions.assertSoftly(kept -> {
            for (JsonNode run : runs) {
                String name = SHORT.get(run.path("kind").asText()) + "/"
                        + run.at("/metadata/name").asText();
                // A schedule has no end: its first run may be hours away.
                String end = run.at("/spec/schedule").isMissingNode()
                        ? "--for=condition=Succeeded"
                        : "--for=jsonpath={.status.schedule.nextScheduleTime}";
                kept.assertThatCode(() -> space.kubectl().run("wait", end, "--timeout=5m", name))
                        .as(name)
                        .doesNotThrowAnyException();
            }
            promises.forEach(command -> kept.assertThatCode(() -> command.isKept(space, guide.getParent()))
                    .doesNotThrowAnyException());
        });
    }

    private static List<JsonNode> runs(List<String> blocks) throws IOException {
        List<JsonNode> runs = new ArrayList<>();
        for (String block : blocks) {
            try (MappingIterator<JsonNode> documents =
                    YAML.readerFor(JsonNode.class).readValues(block)) {
                documents.forEachRemaining(runs::add);
            }
        }
        runs.removeIf(document -> !SHORT.containsKey(document.path("kind").asText()));
        assertThat(runs).isNotEmpty();
        return runs;
    }
}
