package dev.quiver.lifecycle.task;

import java.util.List;

import dev.quiver.lifecycle.redis.Script;

/** Scripts about the chunks of a node, beside those of every source of numbered tasks. */
public final class ChunkScripts {

    static final Script FEED = script("feed");
    static final Script DISCARD = script("discard");
    static final Script BEGIN = script("begin");
    static final Script FOLLOW = script("follow");
    static final Script REMOVE = script("remove");

    public static final List<Script> ALL = List.of(FEED, DISCARD, BEGIN, FOLLOW, REMOVE);

    private ChunkScripts() {}

    private static Script script(String name) {
        return Script.of("chunks/" + name);
    }
}
