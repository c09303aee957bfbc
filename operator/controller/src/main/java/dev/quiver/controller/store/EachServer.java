package dev.quiver.controller.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;

import dev.quiver.lifecycle.RedisEndpoint;

/** Speaks to single servers of a deployment, each over a connection of its own that ends with the call. Thread-safe. */
final class EachServer implements AutoCloseable {

    private static final Duration ANSWER = Duration.ofSeconds(2);

    private final RedisEndpoint endpoint;
    private volatile RedisClient client;

    EachServer(RedisEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** Runs one ACL command there, and saves where the server has a file for it. */
    void run(String host, int port, List<String> words) {
        RedisURI own = RedisURI.create(endpoint.uri());
        RedisURI there = RedisURI.builder(own)
                .withHost(host)
                .withPort(port)
                .withTimeout(ANSWER)
                .build();
        there.getSentinels().clear();
        try (StatefulRedisConnection<String, String> connection = client().connect(StringCodec.UTF8, there)) {
            io.lettuce.core.LettuceFutures.awaitOrCancel(
                    connection.async().dispatch(CommandType.ACL, output(), arguments(words)),
                    ANSWER.toMillis(),
                    TimeUnit.MILLISECONDS);
            save(connection.async()).toCompletableFuture().join();
        }
    }

    /** An ACL command on a connection. */
    static CompletionStage<List<Object>> acl(RedisClusterAsyncCommands<String, String> commands, List<String> words) {
        return commands.dispatch(CommandType.ACL, output(), arguments(words));
    }

    /** Users outlive a restart only where Redis has a file for them; that it has none is no error. */
    static CompletionStage<Boolean> save(RedisClusterAsyncCommands<String, String> commands) {
        return acl(commands, List.of("SAVE")).handle((done, failure) -> {
            Throwable cause = failure instanceof java.util.concurrent.CompletionException c ? c.getCause() : failure;
            if (cause == null || cause instanceof RedisCommandExecutionException) {
                return cause == null;
            }
            throw new java.util.concurrent.CompletionException(cause);
        });
    }

    private synchronized RedisClient client() {
        if (client == null) {
            client = RedisClient.create();
            ClientOptions.Builder options = ClientOptions.builder().autoReconnect(false);
            endpoint.caCertificate()
                    .ifPresent(ca -> options.sslOptions(SslOptions.builder()
                            .jdkSslProvider()
                            .trustManager(ca.toFile())
                            .build()));
            client.setOptions(options.build());
        }
        return client;
    }

    @Override
    public synchronized void close() {
        if (client != null) {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
        }
    }

    private static ArrayOutput<String, String> output() {
        return new ArrayOutput<>(StringCodec.UTF8);
    }

    private static CommandArgs<String, String> arguments(List<String> words) {
        CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8);
        words.forEach(arguments::add);
        return arguments;
    }
}
