package dev.quiver.lifecycle.wires.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.ScriptReply;

/** Reduce reads the results of its job in pages, whose work does not grow with the job. */
class QueueResultsIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final String PREFIX = "queue:";
    private static final String JOB = "queue:sum:1";
    private static final int CHUNKS = 2600;
    private static final int HOLE = 1700;

    /** Numbers that a page looks at, and with some room the commands that it makes of each. */
    private static final int PAGE = 500;

    private static void end(int chunk) {
        REDIS.store()
                .ask(redis -> redis.hset(JOB + ":" + chunk, Map.of("result", Integer.toString(chunk), "retries", "0")));
        REDIS.store().ask(redis -> redis.sadd(JOB + ":chunks:done", JOB + ":" + chunk));
    }

    private static List<Integer> numbers() {
        return IntStream.range(0, CHUNKS)
                .filter(chunk -> chunk < HOLE || chunk > HOLE + PAGE)
                .boxed()
                .toList();
    }

    @Test
    void everyPageLooksAtSoManyNumbersAndAllResultsComeInOrder() {
        numbers().forEach(QueueResultsIT::end);
        String all = numbers().stream().map(String::valueOf).collect(Collectors.joining(",", "[", "]"));
        assertThat(new QueueResults(REDIS.store(), PREFIX).of(JOB, 1 << 20)).isEqualTo(all);
        long from = 0;
        int pages = 0;
        while (from >= 0) {
            ScriptReply page = REDIS.store()
                    .run(
                            QueueScripts.RESULTS,
                            new String[0],
                            JOB,
                            Long.toString(from),
                            Integer.toString(1 << 20),
                            PREFIX);
            assertThat(page.texts("results")).hasSizeLessThanOrEqualTo(PAGE);
            from = page.number("next");
            pages++;
        }
        assertThat(pages).isEqualTo((CHUNKS + PAGE - 1) / PAGE);
    }

    @Test
    void aMemberThatIsNoChunkOfTheJobIsLeftOut() {
        String job = "queue:sum:2";
        REDIS.store().ask(redis -> redis.hset(job + ":3", "result", "\"three\""));
        REDIS.store().ask(redis -> redis.sadd(job + ":chunks:done", job + ":3", "queue:sum:1:0", job + ":x"));
        assertThat(new QueueResults(REDIS.store(), PREFIX).of(job, 1 << 20)).isEqualTo("[\"three\"]");
    }

    @Test
    void aPageEndsByItsBytes() {
        String job = "queue:sum:3";
        for (int chunk = 0; chunk < 4; chunk++) {
            String key = job + ":" + chunk;
            REDIS.store().ask(redis -> redis.hset(key, "result", "\"" + "x".repeat(100) + "\""));
            REDIS.store().ask(redis -> redis.sadd(job + ":chunks:done", key));
        }
        ScriptReply page = REDIS.store().run(QueueScripts.RESULTS, new String[0], job, "0", "150", PREFIX);
        assertThat(page.texts("results")).hasSize(2);
        assertThat(REDIS.store()
                        .run(
                                QueueScripts.RESULTS,
                                new String[0],
                                job,
                                Long.toString(page.number("next")),
                                "1000",
                                PREFIX)
                        .number("next"))
                .isEqualTo(-1);
    }
}
