package dev.quiver.lifecycle.redis;

/** How a Redis deployment is addressed. */
public enum RedisMode {
    /** One server. */
    STANDALONE,
    /** A master found through Sentinels ({@code redis-sentinel://…#master}). */
    SENTINEL,
    /** Redis Cluster; the URI names any of its nodes. */
    CLUSTER
}
