package dev.quiver.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;

/** The Python client as a program of its own, with the same Redis, rights and workers. */
class PythonClientIT {

    private static final Path PYTHON = Path.of("../../python").toAbsolutePath().normalize();
    private static final Path REPORT = Path.of("target/failsafe-reports/TEST-python-client.xml");

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @Test
    void programInPythonDoesTheSame() throws IOException, InterruptedException {
        try (Workers workers = new Workers(REDIS.process(), "python").start()) {
            ProcessBuilder program = new ProcessBuilder(
                            PYTHON.resolve("run-client-tests").toString(), "--junitxml=" + REPORT.toAbsolutePath())
                    .inheritIO();
            program.environment().put("QUIVER_REDIS", workers.uri());
            program.environment().put("QUIVER_NAMESPACE", workers.keyspace.namespace());
            Process process = program.start();
            try {
                assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
            } finally {
                process.destroy();
            }
            assertThat(process.exitValue()).as("pytest, see above").isZero();
        }
    }
}
