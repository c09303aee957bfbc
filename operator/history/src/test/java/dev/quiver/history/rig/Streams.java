package dev.quiver.history.rig;

import java.util.List;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;

import dev.quiver.lifecycle.history.EntryFields;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;

/** Appends entries to the stream of a keyspace, as scripts and as forgers do. */
public final class Streams {

    private Streams() {}

    /** An entry as its writer makes it. */
    public static void append(RedisStore store, Keyspace keyspace, HistoryEntry entry) {
        append(store, keyspace, EntryFields.of(entry));
    }

    /** Any names and values. */
    public static void append(RedisStore store, Keyspace keyspace, List<byte[]> fields) {
        CommandArgs<String, String> arguments =
                new CommandArgs<>(StringCodec.UTF8).addKey(keyspace.history()).add("*");
        fields.forEach(arguments::add);
        store.ask(redis -> redis.dispatch(CommandType.XADD, new StatusOutput<>(StringCodec.UTF8), arguments));
    }

    /** How many entries wait. */
    public static long length(RedisStore store, Keyspace keyspace) {
        return store.ask(redis -> redis.xlen(keyspace.history()));
    }
}
