package dev.quiver.lifecycle.wires.idoit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.wires.WireFrame;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.SessionKeys;

/**
 * Runs commands of the wire. Any process may run any command, npm's too: each is done once. A command to a type that only
 * others know is left to them, and keeps no other one back.
 */
final class IdoitCommands {

    /** Commands of one call at most. */
    private static final int COMMANDS = 64;

    private static final Logger LOG = LoggerFactory.getLogger(IdoitCommands.class);

    private final RedisStore store;
    private final Keyspace keyspace;

    IdoitCommands(RedisStore store, Keyspace keyspace) {
        this.store = store;
        this.keyspace = keyspace;
    }

    /**
     * Runs what is due in these pools and in those that get commands from it, as far as they are granted.
     *
     * @param own pool of the caller
     * @param served types of iterators that its workers run, as JSON; iterators of other pools are left to their workers
     */
    void run(String prefix, String own, Collection<String> pools, List<String> served, CallBudget budget) {
        Deque<String> left = new ArrayDeque<>(pools);
        while (!left.isEmpty()) {
            String pool = left.remove();
            boolean ours = WireFrame.isPool(pool) && isGranted(pool, prefix);
            if (!ours) {
                continue;
            }
            long skipped = 0;
            List<String> page;
            do {
                if (!budget.take(3)) {
                    return;
                }
                page = due(prefix + pool + ":commands", skipped);
                int taken =
                        page.isEmpty() ? 0 : consume(prefix, pool, page, pool.equals(own) ? served : List.of(), left);
                skipped += page.size() - taken;
            } while (page.size() == COMMANDS);
        }
    }

    private boolean isGranted(String pool, String prefix) {
        String source = new IdoitKeys(SessionKeys.ofPool(keyspace, pool)).source();
        return Grant.read(store, source)
                .filter(grant -> grant.prefix().equals(prefix))
                .isPresent();
    }

    private List<String> due(String commands, long skipped) {
        List<String> time = store.ask(redis -> redis.time());
        long now = Long.parseLong(time.get(0)) * 1000 + Long.parseLong(time.get(1)) / 1000;
        return store.ask(redis -> redis.zrangebyscore(commands, Range.create(0, now), Limit.create(skipped, COMMANDS)));
    }

    /** Where one of several is refused each is tried alone, so that it keeps no other one back. */
    private int consume(String prefix, String pool, List<String> page, List<String> served, Deque<String> left) {
        try {
            return call(prefix, pool, page, served, left);
        } catch (StoreRefusedException refused) {
            if (refused.passing()) {
                throw refused;
            }
            if (page.size() > 1) {
                return page.stream()
                        .mapToInt(command -> consume(prefix, pool, List.of(command), served, left))
                        .sum();
            }
            LOG.warn("command {} cannot be run: {}", Utf8.firstBytes(page.getFirst(), 200), refused.getMessage());
            return 0;
        }
    }

    private int call(String prefix, String pool, List<String> page, List<String> served, Deque<String> left) {
        List<String> arguments =
                new ArrayList<>(List.of(Integer.toString(served.size()), prefix, IdoitSalt.fresh(), pool));
        arguments.addAll(served);
        page.forEach(command -> row(command).ifPresent(arguments::addAll));
        IdoitKeys keys = new IdoitKeys(SessionKeys.ofPool(keyspace, pool));
        ScriptReply reply = store.run(
                IdoitScripts.CONSUME,
                IdoitScripts.CONSUME.keys(keys::key, List.of()),
                arguments.toArray(String[]::new));
        reply.texts("pools").stream()
                .filter(told -> !left.contains(told) && (reply.number("taken") > 0 || !told.equals(pool)))
                .forEach(left::add);
        return reply.count("taken");
    }

    /** A command's columns; absent for one that is none. */
    private static Optional<List<String>> row(String command) {
        try {
            JsonNode json = JsJson.read(command);
            JsonNode data = json.path("data");
            String type = json.path("type").asText();
            JsonNode payload = switch (type) {
                case "result" -> data.path("result");
                case "error" -> data.path("error");
                default -> data;
            };
            return Optional.of(List.of(
                    command,
                    json.path("to").asText(),
                    JsJson.write(json.path("to_uid")),
                    type,
                    data.path("id").asText(),
                    payload.isMissingNode() ? (type.equals("error") ? "null" : "") : JsJson.write(payload)));
        } catch (IllegalArgumentException none) {
            LOG.debug("a command that is none: {}", command, none);
            return Optional.empty();
        }
    }
}
