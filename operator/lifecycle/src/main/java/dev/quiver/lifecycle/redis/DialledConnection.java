package dev.quiver.lifecycle.redis;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

/** A connection that was made once, to one server or to a cluster. */
sealed interface DialledConnection {

    RedisClusterAsyncCommands<String, String> commands();

    /** The commands of the very server that has a key. */
    RedisClusterAsyncCommands<String, String> onServerOf(String key);

    StatefulConnection<String, String> connection();

    default boolean usable() {
        return connection().isOpen();
    }

    default void closeAsync() {
        connection().closeAsync();
    }

    /** Waits for the end, so that shutting the client down does not find it open. */
    default void close() {
        connection().close();
    }

    /** One server. */
    record Single(StatefulRedisConnection<String, String> connection) implements DialledConnection {
        @Override
        public RedisClusterAsyncCommands<String, String> commands() {
            return connection.async();
        }

        @Override
        public RedisClusterAsyncCommands<String, String> onServerOf(String key) {
            return connection.async();
        }
    }

    /** A cluster; the library keeps its connections to the nodes. */
    record Cluster(StatefulRedisClusterConnection<String, String> connection) implements DialledConnection {
        @Override
        public RedisClusterAsyncCommands<String, String> commands() {
            return connection.async();
        }

        @Override
        public RedisClusterAsyncCommands<String, String> onServerOf(String key) {
            var node = connection.getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
            return node == null
                    ? connection.async()
                    : connection.getConnection(node.getNodeId()).async();
        }
    }
}
