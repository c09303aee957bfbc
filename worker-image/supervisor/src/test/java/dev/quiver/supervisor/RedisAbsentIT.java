package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.redis.RedisProcess;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetState;
import dev.quiver.slots.rig.AgentProcess;

/** A pod that starts while there is no Redis. */
class RedisAbsentIT {

    @Test
    void startsWithoutRedisSaysSoAndRecoversByItself() throws Exception {
        Assumptions.assumeTrue(RedisProcess.installed(), "redis-server is not installed: apt-get install redis-server");
        AgentProcess.assumeBuilt();
        try (RedisProcess redis = RedisProcess.start();
                PoolFixture pool = new PoolFixture(redis.endpoint());
                WorkerPod pod = WorkerPod.of("a", pool, redis.endpoint(), 2, Duration.ofSeconds(1))) {
            redis.kill();
            pod.start();
            await().until(() -> pod.get("/started").startsWith("200"));
            await().until(() -> pod.get("/ready").contains("Redis: "));
            assertThat(pod.get("/ready")).startsWith("503");
            assertThat(pod.get("/live")).startsWith("200");
            redis.startAgain();
            pool.announce();
            pool.open("set-1", 10, TaskSetLimits.DEFAULT, "/bin/true");
            await().until(pod::ready);
            await().until(() -> pool.snapshot("set-1").status() == TaskSetState.SUCCEEDED);
            // On a busy machine there may be a second absence, with words of its own.
            assertThat(pod.supervisor()
                            .output()
                            .lines()
                            .takeWhile(line -> !line.contains("Redis answers again"))
                            .filter(line -> line.contains("Redis does not answer")))
                    .hasSize(1);
        }
    }
}
