package dev.quiver.lifecycle.taskset;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.RedisStore;
import dev.quiver.lifecycle.ScriptCode;
import dev.quiver.lifecycle.ScriptReply;

/** The takeover of what the pod's earlier session held. Each set under one call number, so that it can be repeated. */
final class OwnAdoption {

    private static final Logger LOG = LoggerFactory.getLogger(OwnAdoption.class);
    private static final String SET = "set:";

    private final RedisStore store;
    private final ScriptKeys keys;
    private final LeaseTimes times;
    private final AtomicLong callNumbers;
    private final Map<String, Long> numbers = new HashMap<>();
    private final Map<String, List<Claim>> adopted = new LinkedHashMap<>();
    private boolean done;

    OwnAdoption(RedisStore store, ScriptKeys keys, LeaseTimes times, AtomicLong callNumbers) {
        this.store = store;
        this.keys = keys;
        this.times = times;
        this.callNumbers = callNumbers;
    }

    synchronized List<Claim> run(Collection<Place> found) {
        if (!keys.earlier().isEmpty() && !done) {
            String hash = keys.keyspace().session(keys.earlier());
            List<String> fields = store.ask(redis -> redis.hkeys(hash));
            for (String field : fields) {
                if (field.startsWith(SET)) {
                    adopted.computeIfAbsent(field.substring(SET.length()), uid -> adopt(uid, found));
                }
            }
            Reaper.Reaped rest = new OwnReaper(store, keys.keyspace(), times).end(keys.earlier(), false);
            LOG.info(
                    "of session {} of this pod {} tasks run on, {} run again, {} had lost their worker too often",
                    keys.earlier(),
                    adopted.values().stream().mapToInt(List::size).sum(),
                    rest.requeued(),
                    rest.failed());
            done = true;
        }
        List<Claim> all = new ArrayList<>();
        adopted.values().forEach(all::addAll);
        return List.copyOf(all);
    }

    private List<Claim> adopt(String uid, Collection<Place> found) {
        ScriptKeys ofSet = keys.withUid(uid);
        String[] redisKeys = TaskSetScripts.ADOPT.keys(ofSet::key, List.of());
        while (true) {
            long number = numbers.computeIfAbsent(uid, set -> callNumbers.incrementAndGet());
            List<String> arguments =
                    new ArrayList<>(List.of(keys.session(), keys.earlier(), Long.toString(number), uid));
            found.forEach(place -> arguments.add(place.text()));
            ScriptReply reply = store.run(TaskSetScripts.ADOPT, redisKeys, arguments.toArray(String[]::new));
            if (reply.code() != ScriptCode.STALE) {
                return reply.code() == ScriptCode.OK ? ClaimRows.read(uid, number, reply, 1) : List.of();
            }
            numbers.remove(uid);
        }
    }
}
