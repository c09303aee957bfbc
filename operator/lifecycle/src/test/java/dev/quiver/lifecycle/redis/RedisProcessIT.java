package dev.quiver.lifecycle.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** That nothing of the tests' own Redis stays. */
class RedisProcessIT {

    @BeforeAll
    static void canRunHere() {
        Assumptions.assumeTrue(RedisProcess.installed(), "redis-server is not installed: apt-get install redis-server");
    }

    /** Starts a server and ends without closing it. */
    static final class Forgetful {

        private Forgetful() {}

        public static void main(String[] args) {
            System.out.println("in " + RedisProcess.start().directory());
            System.exit(0);
        }
    }

    @Test
    void theFolderGoesWithTheJvm() throws Exception {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Forgetful.class.getName())
                .redirectErrorStream(true)
                .start();
        List<String> lines = jvm.inputReader().readAllLines();
        assertThat(jvm.waitFor(5, TimeUnit.MINUTES)).isTrue();
        Path folder = lines.stream()
                .filter(line -> line.startsWith("in "))
                .map(line -> Path.of(line.substring(3)))
                .findFirst()
                .orElseThrow(() -> new AssertionError(lines));
        assertThat(folder).doesNotExist();
    }

    @Test
    void aServerThatIsSavingLeavesNothing() {
        RedisProcess redis = RedisProcess.start("--rdb-key-save-delay", "1000000");
        List<ProcessHandle> saving;
        try (RedisStore store = redis.open()) {
            IntStream.range(0, 100).forEach(i -> store.ask(commands -> commands.set("key" + i, "value")));
            store.ask(commands -> commands.bgsave());
            saving = ProcessHandle.of(redis.pid()).orElseThrow().descendants().toList();
        } finally {
            redis.close();
        }
        assertThat(saving).isNotEmpty().noneMatch(ProcessHandle::isAlive);
        assertThat(redis.directory()).doesNotExist();
    }
}
