package dev.quiver.supervisor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Assumptions;

import dev.quiver.slots.rig.ChildProcess;

/** Handler processes in Python, with pyarrow, over the sources of this checkout. */
final class PythonEnvironment {

    private static final Path SDK = Path.of("../sdk/python").toAbsolutePath().normalize();

    private PythonEnvironment() {}

    /** The command of a process that serves this module. */
    static List<String> serving(String module) {
        return List.of(python(), "-m", "quiver", module);
    }

    /** Variables of such a process. */
    static Map<String, String> variables(Path modules) {
        return Map.of("PYTHONPATH", SDK.resolve("src") + ":" + modules, "PYTHONDONTWRITEBYTECODE", "1");
    }

    /** Skips the running test, with the reason, where the environment cannot be made. */
    private static synchronized String python() {
        try {
            Path log = Files.createTempFile("quiver-python", ".log");
            try (ChildProcess make =
                    ChildProcess.start(List.of(SDK.resolve("environment").toString()), Map.of(), log)) {
                int code = make.awaitEnd();
                String said = make.output().strip();
                Assumptions.assumeTrue(code == 0, () -> "no Python with pyarrow: " + said);
                return said.lines().reduce((_, last) -> last).orElseThrow();
            } finally {
                Files.delete(log);
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
