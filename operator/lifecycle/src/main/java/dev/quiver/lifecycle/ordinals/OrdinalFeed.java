package dev.quiver.lifecycle.ordinals;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.history.RunNames;
import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.redis.BinaryText;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.worker.SessionKeys;

/**
 * Appends tasks with payloads to a source, under the leader's term.
 *
 * @param calls the leader's calls
 */
public record OrdinalFeed(LeaderCalls calls) {

    /** Payloads of one call at most. */
    public static final int BATCH = 200;

    /** Bytes of one payload at most (UTF-8). */
    public static final int MAX_PAYLOAD_BYTES = 256 * 1024;

    /**
     * Appends the payloads of the tasks {@code offset, offset + 1, …}. Known tasks are skipped, so a repeated or
     * overlapping call changes nothing.
     *
     * @param pool that the source belongs to
     * @param payloads at most {@link #BATCH}
     * @param last closes the source
     * @param names of the tasks, for the record of a source that has one
     */
    public Outcome append(
            OrdinalKeys source,
            String pool,
            long offset,
            List<String> payloads,
            boolean last,
            Optional<RunNames> names) {
        if (payloads.size() > BATCH) {
            throw new IllegalArgumentException(payloads.size() + " payloads, at most " + BATCH + " a call");
        }
        OrdinalScriptKeys keys = new OrdinalScriptKeys(SessionKeys.ofPool(calls.keyspace(), pool), source);
        List<Object> arguments = new ArrayList<>(List.of(
                source.source(),
                offset,
                last ? 1 : 0,
                longest(offset, payloads),
                names.map(RunNames::encode).map(BinaryText::marked).orElse("")));
        arguments.addAll(payloads);
        ScriptReply reply = calls.run(OrdinalScripts.FEED, keys::key, arguments.toArray());
        return switch (reply.code()) {
            case OK -> new Outcome.Fed(reply.number("known"));
            case GAP -> new Outcome.Gap(reply.number("known"));
            case CLOSED -> new Outcome.Closed();
            case GONE -> new Outcome.Gone();
            default -> throw reply.unexpected();
        };
    }

    /** Names tasks of a source that is not fed, for the record; the first names of a task stay. */
    public void name(OrdinalKeys source, RunNames names) {
        OrdinalScriptKeys keys = new OrdinalScriptKeys(SessionKeys.ofPool(calls.keyspace(), ""), source);
        calls.run(OrdinalScripts.NAME, keys::key, source.source(), BinaryText.marked(names.encode()));
    }

    private static int longest(long offset, List<String> payloads) {
        int longest = 0;
        for (int i = 0; i < payloads.size(); i++) {
            int bytes = Utf8.length(payloads.get(i));
            if (bytes == 0 || bytes > MAX_PAYLOAD_BYTES) {
                throw new IllegalArgumentException("payload of task " + (offset + i) + " has " + bytes + " bytes, 1 to "
                        + MAX_PAYLOAD_BYTES + " are allowed");
            }
            longest = Math.max(longest, bytes);
        }
        return longest;
    }

    /** The outcome of {@link #append}. */
    public sealed interface Outcome {

        /**
         * The tasks up to {@code fed} are in.
         *
         * @param fed number of tasks known now
         */
        record Fed(long fed) implements Outcome {}

        /**
         * The call did nothing: the offset lies beyond the known tasks.
         *
         * @param fed the offset to continue from
         */
        record Gap(long fed) implements Outcome {}

        /** The call did nothing: the source is closed (then everything was fed before), or the source is final. */
        record Closed() implements Outcome {}

        /** The source is not there. */
        record Gone() implements Outcome {}
    }
}
