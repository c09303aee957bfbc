package dev.quiver.lifecycle.redis;

import java.time.Duration;

import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisReactiveCommandsImpl;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.PushHandler;
import io.lettuce.core.resource.ClientResources;

/**
 * A client whose connections have their asynchronous commands only. The library makes the other two kinds for every
 * connection. The blocking kind is a proxy of several hundred methods, whose bytecode is written and compiled anew in
 * every process. That would be a tenth of what a supervisor's start costs the processor.
 */
final class AsyncRedisClient extends RedisClient {

    AsyncRedisClient(ClientResources resources) {
        super(resources, new RedisURI());
    }

    @Override
    protected <K, V> StatefulRedisConnectionImpl<K, V> newStatefulRedisConnection(
            RedisChannelWriter writer, PushHandler pushes, RedisCodec<K, V> codec, Duration timeout) {
        return new StatefulRedisConnectionImpl<>(writer, pushes, codec, timeout) {

            @Override
            protected RedisCommands<K, V> newRedisSyncCommandsImpl() {
                return null;
            }

            @Override
            protected RedisReactiveCommandsImpl<K, V> newRedisReactiveCommandsImpl() {
                return null;
            }
        };
    }
}
