package dev.quiver.lifecycle.ordinals;

import java.util.List;

import dev.quiver.lifecycle.redis.Script;

/** Scripts about one source of numbered tasks, of any kind. */
public final class OrdinalScripts {

    static final Script FEED = script("feed");
    public static final Script STEP = script("step");
    public static final Script ADOPT = script("adopt");
    static final Script ATTEND = script("attend");
    static final Script REAP = script("reap");
    static final Script PROMOTE = script("promote");
    public static final Script ENDED = script("ended");
    static final Script MEMBERS = script("members");
    static final Script NAME = script("name");

    public static final List<Script> ALL = List.of(FEED, STEP, ADOPT, ATTEND, REAP, PROMOTE, ENDED, MEMBERS, NAME);

    private OrdinalScripts() {}

    private static Script script(String name) {
        return Script.of("ordinals/" + name);
    }
}
