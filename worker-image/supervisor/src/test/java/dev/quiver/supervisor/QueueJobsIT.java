package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.wires.queue.QueueType;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.Patience;

/** A program puts jobs under a granted prefix by plain Redis commands; pods of real parts run them by functions in Python. */
class QueueJobsIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final String PREFIX = "queue:";
    private static final long TERM = 1;

    /** Each part freezes, or fails, the first time that a job wants it to. */
    private static final String FUNCTIONS = """
            import os, time
            import quiver

            def once(name, where):
                try:
                    os.mkdir(os.path.join(os.path.dirname(__file__), name + "-" + where))
                    return True
                except FileExistsError:
                    return False

            def stumble(data, part):
                if data.get("freezes") == part and once(data["name"], part):
                    time.sleep(600)
                if data.get("fails") == part and once(data["name"], part):
                    raise ValueError("once")

            @quiver.handler("sum.map")
            def split(data):
                stumble(data, "map")
                return [{**data, "n": n} for n in range(data["count"])]

            @quiver.handler("sum.process")
            def square(chunk):
                if chunk.get("poison") == chunk["n"]:
                    raise ValueError("always")
                if chunk["n"] == 1:
                    stumble(chunk, "process")
                return {"square": chunk["n"] ** 2, "of": {k: v for k, v in chunk.items() if k != "n"}}

            @quiver.handler("sum.reduce")
            def add(results):
                if results:
                    stumble(results[0]["of"], "reduce")
                with open(os.path.join(os.path.dirname(__file__), results[0]["of"]["name"] + ".txt"), "w") as out:
                    out.write(str([result["square"] for result in results]))
            """;

    @TempDir
    private Path modules;

    private PoolFixture pool;
    private WorkerPod pod;

    @BeforeEach
    void startPod() throws IOException {
        AgentProcess.assumeBuilt();
        Files.writeString(modules.resolve("functions.py"), FUNCTIONS);
        pool = new PoolFixture(REDIS.endpoint());
        pool.lifecycle()
                .queueGrants(pool.keyspace(), TERM)
                .grant(
                        PoolFixture.POOL,
                        PREFIX,
                        List.of(new QueueType("sum", "sum", 2, Duration.ofMillis(50), Duration.ofSeconds(3))));
        pod = WorkerPod.of("a", pool, REDIS.endpoint(), 4, Patience.LIMIT)
                .serving(PythonEnvironment.serving("functions"), PythonEnvironment.variables(modules))
                .start();
    }

    @AfterEach
    void close() throws IOException {
        if (pod != null) {
            pod.close();
        }
        if (pool != null) {
            pool.close();
        }
    }

    private void push(String name, String more) {
        String job = PREFIX + "sum:" + name;
        String data = "{\"name\":\"" + name + "\",\"count\":5" + more + "}";
        pool.store()
                .ask(redis -> redis.hset(job, Map.of("data", data, "type", "sum", "retries", "0", "state", "pending")));
        pool.store().ask(redis -> redis.sadd(PREFIX + "pending", job));
    }

    private List<String> keys() {
        return pool.store().ask(redis -> redis.keys(PREFIX + "*"));
    }

    @Test
    void jobsOfPlainCommandsRunAndWhatFailsOrFreezesOnceRunsAgain() throws IOException {
        push("plain", "");
        for (String part : List.of("map", "process", "reduce")) {
            push("fails-" + part, ",\"fails\":\"" + part + "\"");
            push("freezes-" + part, ",\"freezes\":\"" + part + "\"");
        }
        push("poison", ",\"poison\":2");
        String later = PREFIX + "sum:later";
        pool.store().ask(redis -> redis.zadd(PREFIX + "postponed", System.currentTimeMillis() + 1000.0, later));
        pool.store()
                .ask(redis -> redis.hset(
                        later + ":postponed",
                        Map.of(
                                "data", "{\"name\":\"later\",\"count\":2}",
                                "type", "sum",
                                "retries", "0",
                                "state", "pending")));
        await().until(() -> keys().isEmpty());
        for (String name : List.of(
                "plain",
                "fails-map",
                "fails-process",
                "fails-reduce",
                "freezes-map",
                "freezes-process",
                "freezes-reduce")) {
            assertThat(modules.resolve(name + ".txt")).as(name).hasContent("[0, 1, 4, 9, 16]");
        }
        assertThat(modules.resolve("poison.txt")).hasContent("[0, 1, 9, 16]");
        assertThat(modules.resolve("later.txt")).hasContent("[0, 1]");
    }

    @Test
    void supervisorThatIsKilledInMidRunLosesNoJob() throws Exception {
        for (int job = 0; job < 20; job++) {
            push("job" + job, "");
        }
        await().until(() -> Files.exists(modules.resolve("job3.txt")) || keys().size() < 40);
        pod.supervisor().signal("KILL");
        pod.supervisor().awaitEnd();
        pod.startSupervisor();
        await().until(() -> keys().isEmpty());
        for (int job = 0; job < 20; job++) {
            assertThat(modules.resolve("job" + job + ".txt")).hasContent("[0, 1, 4, 9, 16]");
        }
    }
}
