package dev.quiver.lifecycle.mapreduce;

import java.util.List;

import dev.quiver.lifecycle.redis.Script;

/** Scripts about map-reduce jobs, beside those of trees and chunks. */
public final class JobScripts {

    static final Script CHUNKS = Script.of("mapreduce/chunks");

    public static final List<Script> ALL = List.of(CHUNKS);

    private JobScripts() {}
}
