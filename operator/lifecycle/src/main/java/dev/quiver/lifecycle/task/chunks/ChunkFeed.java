package dev.quiver.lifecycle.task.chunks;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.keys.ChunkKeys;
import dev.quiver.lifecycle.task.keys.ChunkScripts;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.SessionCalls;
import dev.quiver.lifecycle.worker.SessionKeys;

/** Brings the chunks of a node, in calls of bounded size. Each may be repeated. */
public record ChunkFeed(RedisStore store, Keyspace keyspace, String node) {

    private static final int CHUNKS = 200;
    private static final int CALL_BYTES = 64 * 1024;

    /** Stands for the session of a caller without one; nothing is kept under it. */
    private static final String NO_SESSION = "-";

    /** Times that a feed goes on after Redis came back with fewer chunks. */
    private static final int GAPS = 8;

    /** The task that brings the chunks. */
    public record Feeder(SessionCalls session, Claim claim) {}

    /**
     * Brings a page of chunks.
     *
     * @param feeder absent where the chunks are those of the node's document or input
     * @return whether they are the node's now; false: the task is not the feeder's any more, or the node goes on without it
     */
    public boolean bring(ChunkPage page, Optional<Feeder> feeder) {
        List<String> chunks = page.chunks();
        int from = 0;
        int gaps = 0;
        do {
            int to = callEnd(chunks, from);
            ScriptReply reply = call(page, from, to, feeder);
            switch (reply.code()) {
                case OK -> {
                    feeder.ifPresent(it -> it.session().executed().learned(reply.number("executed")));
                    from = to;
                }
                case GAP -> {
                    if (++gaps > GAPS) {
                        throw new StoreRefusedException(
                                StoreRefusedException.Kind.PASSING, "Redis forgets the chunks of node " + node, null);
                    }
                    from = Math.toIntExact(Math.clamp(reply.number("known") - page.base(), 0, from));
                }
                case CLOSED, STALE, FENCED, GONE -> {
                    return false;
                }
                default -> throw reply.unexpected();
            }
        } while (from < chunks.size());
        return true;
    }

    /**
     * Takes back what was brought of a page that Redis has no memory for, so that the chunks of other nodes fit meanwhile.
     *
     * @param words for people, while the task waits
     * @return absent where the page is not the feeder's any more
     */
    public Optional<MemoryRefusal> discard(ChunkPage page, Optional<Feeder> feeder, String words) {
        ChunkKeys keys = new ChunkKeys(keyspace, node);
        SessionKeys worker = worker(feeder);
        ScriptReply reply = store.run(
                ChunkScripts.DISCARD,
                ChunkScripts.DISCARD.keys(name -> keys.key(worker, name), List.of()),
                node,
                feeder.map(it -> it.session().keys().session()).orElse(""),
                feeder.map(it -> it.session().executed().argument()).orElse("0"),
                feeder.map(it -> it.claim().id()).orElse(""),
                feeder.map(it -> Long.toString(it.claim().fence())).orElse("0"),
                Integer.toString(page.base()),
                words);
        if (reply.code() != ScriptCode.OK) {
            return Optional.empty();
        }
        feeder.ifPresent(it -> it.session().executed().learned(reply.number("executed")));
        return Optional.of(new MemoryRefusal(
                reply.number("refused"),
                reply.number("taken") > 0 || page.base() > 0,
                reply.number("feeding") > 0,
                reply.number("begun") > 0));
    }

    private SessionKeys worker(Optional<Feeder> feeder) {
        return feeder.map(it -> it.session().keys()).orElseGet(() -> new SessionKeys(keyspace, "", NO_SESSION));
    }

    /** The end of the chunks of one call. */
    private static int callEnd(List<String> chunks, int from) {
        int to = from;
        int bytes = 0;
        while (to < chunks.size() && to - from < CHUNKS) {
            bytes += Utf8.length(chunks.get(to));
            if (to > from && bytes > CALL_BYTES) {
                break;
            }
            to++;
        }
        return to;
    }

    private ScriptReply call(ChunkPage page, int from, int to, Optional<Feeder> feeder) {
        List<String> chunks = page.chunks().subList(from, to);
        SessionKeys worker = worker(feeder);
        List<String> arguments = new ArrayList<>(List.of(
                node,
                feeder.map(it -> it.session().keys().session()).orElse(""),
                feeder.map(it -> it.session().executed().argument()).orElse("0"),
                feeder.map(it -> it.claim().id()).orElse(""),
                feeder.map(it -> Long.toString(it.claim().fence())).orElse("0"),
                Integer.toString(page.base() + from),
                Integer.toString(page.base()),
                page.last() && to == page.chunks().size() ? "1" : "0",
                Integer.toString(chunks.stream().mapToInt(Utf8::length).max().orElse(0))));
        arguments.addAll(chunks);
        ChunkKeys keys = new ChunkKeys(keyspace, node);
        return store.run(
                ChunkScripts.FEED,
                ChunkScripts.FEED.keys(name -> keys.key(worker, name), List.of()),
                arguments.toArray(String[]::new));
    }
}
