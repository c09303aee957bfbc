package dev.quiver.crds.schema;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;

import dev.quiver.crds.v1alpha1.MapReduceJob;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.WorkerPool;

/** Makes the YAML of the resource definitions from the Java types: what the generator says, then our finishing. */
final class CrdYaml {
    /** Every kind. To release one is to change its word here; the tests name the files that then have to move. */
    static final List<Kind> KINDS = List.of(
            new Kind(WorkerPool.class, PrinterColumns.WORKER_POOL, Stage.RELEASED),
            new Kind(TaskSet.class, PrinterColumns.TASK_SET, Stage.RELEASED),
            new Kind(Task.class, PrinterColumns.TASK, Stage.RELEASED),
            new Kind(MapReduceJob.class, PrinterColumns.MAP_REDUCE_JOB, Stage.RELEASED));

    /** The command that makes it anew. */
    static final String MENDING = "mvn -q test -pl crds -Dtest=CrdYamlTest -Dcrds.write";

    private static final YAMLMapper YAML = YAMLMapper.builder()
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .disable(YAMLGenerator.Feature.SPLIT_LINES)
            .enable(YAMLGenerator.Feature.INDENT_ARRAYS_WITH_INDICATOR)
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .build();

    private CrdYaml() {}

    /** Whether an operator reconciles a kind; it decides where the YAML is committed. */
    enum Stage {
        /** In this module's jar; the chart installs all that lies in this folder. */
        RELEASED("src/main/resources/META-INF/quiver"),
        /** In the test-jar alone, for the tests of the controller that is being written. */
        UPCOMING("src/test/resources/dev/quiver/crds/apiserver/upcoming");

        private final Path folder;

        Stage(String folder) {
            this.folder = Path.of(folder);
        }

        /** The folder of the YAML, seen from this module's folder. */
        Path folder() {
            return folder;
        }
    }

    /** A kind, what {@code kubectl get} shows of it, and whether charts install it. */
    record Kind(Class<? extends CustomResource<?, ?>> type, PrinterColumns columns, Stage stage) {
        /** As the YAML has it. */
        String name() {
            return HasMetadata.getKind(type);
        }

        /** The file of its YAML. */
        Path file() {
            return stage.folder().resolve(HasMetadata.getFullResourceName(type) + ".yaml");
        }

        /** The text of its YAML. */
        String yaml() {
            return text(generated(type), columns);
        }
    }

    private static String text(ObjectNode crd, PrinterColumns columns) {
        var version = (ObjectNode) crd.at("/spec/versions/0");
        var root = (ObjectNode) version.at("/schema/openAPIV3Schema");
        var kind = crd.at("/spec/names/kind").asText();
        new SchemaFinishing(kind).finish(root);
        columns.addTo(version);
        try {
            return "# Made from the Java types of this module; do not edit. This makes it anew:\n#   " + MENDING + "\n"
                    + YAML.writeValueAsString(crd);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ObjectNode generated(Class<? extends CustomResource<?, ?>> type) {
        try {
            Path folder = Files.createTempDirectory(Path.of("target"), "crd");
            new CRDGenerator()
                    .customResourceClasses(type)
                    .forCRDVersions("v1")
                    .inOutputDir(folder.toFile())
                    .generate();
            Path file = folder.resolve(HasMetadata.getFullResourceName(type) + "-v1.yml");
            var crd = (ObjectNode) YAML.readTree(file.toFile());
            Files.delete(file);
            Files.delete(folder);
            return crd;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
