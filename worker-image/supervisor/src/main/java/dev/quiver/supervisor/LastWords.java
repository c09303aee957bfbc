package dev.quiver.supervisor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.text.PrintableText;
import dev.quiver.supervisor.engine.EngineStatus;

/** Why this process ended, where kubelet looks for it: it becomes the container's message in the pod's status. */
final class LastWords {

    /** The file that kubelet mounts into every container. */
    static final Path KUBELETS = Path.of("/dev/termination-log");

    private static final Logger LOG = LoggerFactory.getLogger(LastWords.class);

    private LastWords() {}

    /** The failure, absent when there was none. */
    static Optional<String> of(EngineStatus status) {
        return status.fault()
                .map(words -> "the engine ended: " + words)
                .or(() -> status.violation().map(words -> "the worker container broke the slots' protocol: " + words));
    }

    /** Leaves the words in a file that is there; without one, outside a pod, nothing is written. */
    static void leave(String words, Path file) {
        if (!Files.isWritable(file)) {
            return;
        }
        try {
            Files.writeString(
                    file, PrintableText.of(words), StandardCharsets.UTF_8, StandardOpenOption.TRUNCATE_EXISTING);
        } catch (IOException e) {
            LOG.warn("{} cannot be written: {}", file, e.getMessage());
        }
    }
}
