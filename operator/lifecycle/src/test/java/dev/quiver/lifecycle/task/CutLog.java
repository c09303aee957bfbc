package dev.quiver.lifecycle.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisProcess;
import dev.quiver.lifecycle.redis.RedisStore;

/**
 * Redis is killed and comes back with a part of its append-only file, cut behind each entry that changes the keyspace.
 * The entries of a script count together, for Redis drops a part of them. The same programs then start anew: the
 * keyspace at the end is that of the life without a cut.
 */
public abstract class CutLog {

    private static final Keyspace KEYSPACE = Keyspace.of("cut", "log");

    /** Also cuts between the entries of one script. */
    private static final boolean WITHIN = Boolean.getBoolean("quiver.cuts.within");

    /** A life of the dialect. */
    protected abstract RepeatedRun run(RedisStore store, Keyspace keyspace);

    /** How a person has the same life again. */
    protected String repeat() {
        return "each life is the same";
    }

    /** How many places to cut the log of a life has at least: fewer say that the life did not happen. */
    protected int fewestCuts() {
        return 31;
    }

    private RepeatedRun settled(RedisStore store) {
        RepeatedRun run = run(store, KEYSPACE);
        run.settle();
        return run;
    }

    @Test
    void resumesFromEachEntry() throws IOException {
        Assumptions.assumeTrue(RedisProcess.installed(), "redis-server is not installed: apt-get install redis-server");
        try (RedisProcess redis = RedisProcess.start("--appendonly", "yes", "--appendfsync", "no")) {
            Path log = redis.directory().resolve("appendonlydir/appendonly.aof.1.incr.aof");
            Map<String, String> expected;
            try (RedisStore store = redis.open()) {
                RepeatedRun run = settled(store);
                run.live();
                expected = run.remains();
            }
            redis.kill();
            byte[] whole = Files.readAllBytes(log);
            List<Integer> ends = ends(whole);
            assertThat(ends).as(repeat()).hasSizeGreaterThanOrEqualTo(fewestCuts());
            for (int i = 0; i < ends.size(); i++) {
                Files.write(log, Arrays.copyOf(whole, ends.get(i)));
                redis.startAgain();
                try (RedisStore store = redis.open()) {
                    RepeatedRun again = settled(store);
                    again.live();
                    assertThat(again.remains())
                            .as("cut behind entry %s of %s; %s", i, ends.size(), repeat())
                            .isEqualTo(expected);
                }
                redis.kill();
            }
        }
    }

    /** The places behind each entry: an array of texts, each behind its length. */
    private static List<Integer> ends(byte[] log) {
        List<Integer> ends = new ArrayList<>();
        boolean within = false;
        int at = 0;
        while (at < log.length) {
            if (log[at] == '#') {
                at = line(log, at);
                continue;
            }
            int texts = number(log, at);
            at = line(log, at);
            String verb = new String(log, line(log, at), number(log, at), StandardCharsets.US_ASCII);
            for (int i = 0; i < texts; i++) {
                int length = number(log, at);
                at = line(log, at) + length + 2;
            }
            within = verb.equalsIgnoreCase("MULTI") || within && !verb.equalsIgnoreCase("EXEC");
            if (WITHIN || !within) {
                ends.add(at);
            }
        }
        return ends;
    }

    private static int number(byte[] log, int at) {
        return Integer.parseInt(new String(log, at + 1, line(log, at) - at - 3, StandardCharsets.US_ASCII));
    }

    private static int line(byte[] log, int at) {
        int end = at;
        while (log[end] != '\n') {
            end++;
        }
        return end + 1;
    }
}
