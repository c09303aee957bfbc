package dev.quiver.crds.schema;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;

import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.WorkerPool;

/** Makes the YAML of the resource definitions from the Java types: what the generator says, then our finishing. */
final class CrdYaml {
    /** Where the YAML is committed, seen from this module's folder. */
    static final Path FOLDER = Path.of("src/main/resources/META-INF/quiver");

    /** What makes it anew. */
    static final String MENDING = "mvn -q test -pl crds -Dtest=CrdYamlTest -Dcrds.write";

    private static final YAMLMapper YAML = YAMLMapper.builder()
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .disable(YAMLGenerator.Feature.SPLIT_LINES)
            .enable(YAMLGenerator.Feature.INDENT_ARRAYS_WITH_INDICATOR)
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .build();

    private CrdYaml() {}

    /** The text of each file by its name. */
    static SortedMap<String, String> files() {
        var files = new TreeMap<String, String>();
        files.put("workerpools.quiver.dev.yaml", text(generated(WorkerPool.class), PrinterColumns.WORKER_POOL));
        files.put("tasksets.quiver.dev.yaml", text(generated(TaskSet.class), PrinterColumns.TASK_SET));
        return files;
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

    private static <T extends CustomResource<?, ?>> ObjectNode generated(Class<T> type) {
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
