package dev.quiver.controller.store;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;

import dev.quiver.lifecycle.redis.RedisEndpoint;

/**
 * Sends commands to single servers of a deployment, each over a connection of its own that ends with the call. All
 * servers of a call are asked at once, and one bound holds for all of them. Thread-safe.
 */
final class EachServer implements AutoCloseable {

    /** The bound for connecting to all servers of a call and for their answers. */
    private static final Duration BOUND = Duration.ofSeconds(2);

    /**
     * The library's own bounds for a connection and its greeting. They are longer, so that the library never ends a
     * wait. It cannot tell a greeting that took too long from a connection that the server closed.
     */
    private static final Duration NEVER_FIRST = BOUND.multipliedBy(2);

    /**
     * A server that did not answer is not dialled again for this long: otherwise each namespace's user would wait for
     * it.
     */
    private static final Duration REDIAL_AFTER = Duration.ofSeconds(10);

    /** One server. */
    record Address(String host, int port) {
        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    private final RedisEndpoint endpoint;
    private final Map<Address, Long> silentSince = new ConcurrentHashMap<>();
    private volatile RedisClient client;

    EachServer(RedisEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /**
     * Sends the same command to servers. Throws none of their errors.
     *
     * @return the error of each server that did not do it: a {@link RedisCommandExecutionException} for a refusal
     */
    Map<Address, Throwable> ask(
            Collection<Address> servers,
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<?>> question) {
        Map<Address, Throwable> failed = new HashMap<>();
        Map<Address, CompletableFuture<?>> asked = new LinkedHashMap<>();
        Map<Address, CompletableFuture<StatefulRedisConnection<String, String>>> dialled = new HashMap<>();
        for (Address server : servers) {
            if (backedOff(server)) {
                failed.put(server, new TimeoutException("it did not answer a moment ago"));
            } else {
                var connection = dial(server);
                dialled.put(server, connection);
                asked.put(server, connection.thenCompose(open -> question.apply(open.async())));
            }
        }
        long until = System.nanoTime() + BOUND.toNanos();
        asked.forEach((server, answer) -> {
            Throwable failure = failure(answer, until);
            if (failure != null) {
                failed.put(server, failure);
            }
            if (failure == null || failure instanceof RedisCommandExecutionException) {
                silentSince.remove(server);
            } else {
                silentSince.put(server, System.nanoTime());
            }
            // Also a connection that comes up too late.
            dialled.get(server).thenAccept(StatefulRedisConnection::closeAsync);
        });
        return failed;
    }

    private boolean backedOff(Address server) {
        Long since = silentSince.get(server);
        return since != null && System.nanoTime() - since < REDIAL_AFTER.toNanos();
    }

    private CompletableFuture<StatefulRedisConnection<String, String>> dial(Address server) {
        RedisURI there = RedisURI.builder(endpoint.address())
                .withHost(server.host())
                .withPort(server.port())
                .withTimeout(NEVER_FIRST)
                .build();
        there.getSentinels().clear();
        try {
            return client().connectAsync(StringCodec.UTF8, there).toCompletableFuture();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** The error; null when there is an answer. */
    private static Throwable failure(CompletableFuture<?> answer, long until) {
        try {
            answer.get(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return e;
        } catch (TimeoutException | CancellationException e) {
            return new TimeoutException("no answer in " + BOUND.toSeconds() + " s");
        } catch (ExecutionException e) {
            return rootCause(e);
        }
    }

    private static Throwable rootCause(Throwable thrown) {
        Throwable at = thrown;
        while (at.getCause() != null
                && !(at instanceof RedisCommandExecutionException)
                && (at instanceof ExecutionException
                        || at instanceof CompletionException
                        || at.getCause() instanceof RedisCommandExecutionException)) {
            at = at.getCause();
        }
        return at;
    }

    /** An ACL command on a connection. */
    static CompletionStage<List<Object>> acl(RedisClusterAsyncCommands<String, String> commands, List<String> parts) {
        return commands.dispatch(CommandType.ACL, output(), arguments(parts));
    }

    /** Saves the users in Redis' file, so that they outlive a restart. A Redis without such a file is no error. */
    static CompletionStage<Boolean> save(RedisClusterAsyncCommands<String, String> commands) {
        return acl(commands, List.of("SAVE")).handle((done, failure) -> {
            Throwable cause = failure instanceof CompletionException c ? c.getCause() : failure;
            if (cause == null || cause instanceof RedisCommandExecutionException) {
                return cause == null;
            }
            throw new CompletionException(cause);
        });
    }

    private synchronized RedisClient client() {
        if (client == null) {
            client = RedisClient.create();
            ClientOptions.Builder options = ClientOptions.builder()
                    .autoReconnect(false)
                    .socketOptions(
                            SocketOptions.builder().connectTimeout(NEVER_FIRST).build());
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

    private static CommandArgs<String, String> arguments(List<String> parts) {
        CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8);
        parts.forEach(arguments::add);
        return arguments;
    }
}
