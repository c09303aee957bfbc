package dev.quiver.lifecycle.task.keys;

import java.util.List;

import dev.quiver.lifecycle.redis.Script;

/** Scripts about the chunks of a node, beside those of every source of numbered tasks. */
public final class ChunkScripts {

    public static final Script FEED = script("feed");
    public static final Script DISCARD = script("discard");
    public static final Script BEGIN = script("begin");
    public static final Script FOLLOW = script("follow");
    public static final Script REMOVE = script("remove");

    /** Each of them. */
    public static final List<Script> ALL = List.of(FEED, DISCARD, BEGIN, FOLLOW, REMOVE);

    private ChunkScripts() {}

    private static Script script(String name) {
        return Script.of("chunks/" + name);
    }
}
