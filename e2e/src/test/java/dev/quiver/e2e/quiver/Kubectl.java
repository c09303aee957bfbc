package dev.quiver.e2e.quiver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.Serialization;

import dev.quiver.e2e.cluster.Command;
import dev.quiver.e2e.cluster.Repository;

/** kubectl as a person uses it, in one namespace. Thread-safe. */
public final class Kubectl {

    private static final Path PROGRAM = Repository.built("kubectl");

    private final Path kubeconfig;
    private final String namespace;

    Kubectl(Path kubeconfig, String namespace) {
        this.kubeconfig = kubeconfig;
        this.namespace = namespace;
    }

    /** The same in another namespace. */
    public Kubectl in(String other) {
        return new Kubectl(kubeconfig, other);
    }

    /**
     * Runs it and returns what it printed.
     *
     * @throws IllegalStateException with its words, when it ended with anything but 0 or not within five minutes
     */
    public String run(String... words) {
        return Command.of(line(words)).run();
    }

    /** Applies the documents of a YAML text. */
    public String apply(String yaml) {
        try {
            Path file = Files.createTempFile("apply", ".yaml");
            try {
                Files.writeString(file, yaml);
                return run("apply", "-f", file.toString());
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Applies an object. */
    public String apply(HasMetadata object) {
        return apply(Serialization.asYaml(object));
    }

    /**
     * Runs lines for a shell, as a person pastes them: {@code kubectl} in them is this one, with its namespace.
     *
     * @param folder where they run
     */
    public String script(Path folder, String lines) {
        String shim = "kubectl() { '%s' --kubeconfig '%s' --namespace '%s' \"$@\"; }\n"
                .formatted(PROGRAM, kubeconfig, namespace);
        return Command.of("sh", "-ec", shim + "cd \"$0\"\n" + lines, folder.toString())
                .run();
    }

    /** The output of a command that goes on ({@code get -w}, {@code logs -f}), until closed. */
    public Watching watch(String... words) {
        return Watching.start(List.of(line(words)));
    }

    private String[] line(String... words) {
        return Stream.concat(
                        Stream.of(PROGRAM.toString(), "--kubeconfig", kubeconfig.toString(), "--namespace", namespace),
                        Stream.of(words))
                .toArray(String[]::new);
    }
}
