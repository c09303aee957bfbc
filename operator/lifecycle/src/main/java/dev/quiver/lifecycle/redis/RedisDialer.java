package dev.quiver.lifecycle.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes connections for one endpoint. A broken connection to a single server or to a Sentinel's master is not repaired
 * but replaced by a new one. So no command of the old one can be sent again, and the master is looked up anew. In a
 * cluster the library repairs its connections to the nodes, with the same rule: what was in flight fails.
 */
final class RedisDialer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RedisDialer.class);

    private final SilentTimer timer = new SilentTimer();
    private final GreetingWords words = new GreetingWords();
    private final ClientResources resources;
    private final RedisURI uri;
    private final Optional<RedisClient> single;
    private final Optional<RedisClusterClient> cluster;
    /** Twice the time of a connection with its greeting: the library says why before that. */
    private final Duration longest;

    RedisDialer(RedisEndpoint endpoint, String clientName, RedisTimes times) {
        longest = times.connect().plus(times.handshake()).multipliedBy(2);
        uri = endpoint.address();
        uri.setTimeout(times.handshake());
        uri.setClientName(clientName);
        resources = DefaultClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .timer(timer)
                .nettyCustomizer(words)
                .reconnectDelay(
                        Delay.fullJitter(Duration.ofMillis(20), Duration.ofSeconds(1), 20, TimeUnit.MILLISECONDS))
                .build();
        if (endpoint.mode() == RedisMode.CLUSTER) {
            RedisClusterClient client = RedisClusterClient.create(resources, uri);
            client.setOptions(clusterOptions(endpoint.caCertificate(), times.connect()));
            cluster = Optional.of(client);
            single = Optional.empty();
        } else {
            RedisClient client = new AsyncRedisClient(resources);
            client.setOptions(common(ClientOptions.builder(), endpoint.caCertificate(), times.connect())
                    .autoReconnect(false)
                    .build());
            single = Optional.of(client);
            cluster = Optional.empty();
        }
    }

    /** Connects or throws the library's exception, in the words of a server that refused. */
    DialledConnection dial() {
        words.forget();
        try {
            return connect();
        } catch (RedisException e) {
            throw words.explained(e);
        }
    }

    private DialledConnection connect() {
        if (single.isPresent()) {
            return new DialledConnection.Single(within(single.get().connectAsync(StringCodec.UTF8, uri), longest));
        }
        RedisClusterClient client = cluster.orElseThrow();
        client.refreshPartitions();
        StatefulRedisClusterConnection<String, String> connection = client.connect(StringCodec.UTF8);
        // Where commands are rejected while disconnected, the first one to each node would be.
        for (RedisClusterNode node : connection.getPartitions()) {
            if (node.is(RedisClusterNode.NodeFlag.UPSTREAM)) {
                warm(connection, node);
            }
        }
        return new DialledConnection.Cluster(connection);
    }

    /**
     * Waits for a connection, as long as it may take. The library has time-outs of its own. But a connection that breaks
     * while it is made can leave its future open for ever, as Lettuce 7.7 did once.
     */
    static <T> T within(Future<T> connection, Duration longest) {
        try {
            return connection.get(longest.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            connection.cancel(true);
            throw new RedisConnectionException("no connection within " + longest.toMillis() + " ms");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RedisException known
                    ? known
                    : new RedisConnectionException(
                            "no connection: " + e.getCause().getMessage(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            connection.cancel(true);
            throw new RedisConnectionException("interrupted while connecting");
        }
    }

    private static void warm(StatefulRedisClusterConnection<String, String> connection, RedisClusterNode node) {
        try {
            connection.getConnection(node.getUri().getHost(), node.getUri().getPort());
        } catch (RedisException e) {
            LOG.debug("cluster node {} is away: {}", node.getNodeId(), e.getMessage());
        }
    }

    private static ClusterClientOptions clusterOptions(Optional<Path> ca, Duration connect) {
        ClusterClientOptions.Builder options = ClusterClientOptions.builder();
        common(options, ca, connect);
        return options.autoReconnect(true)
                .validateClusterNodeMembership(false)
                .maxRedirects(8)
                .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .enablePeriodicRefresh(Duration.ofSeconds(30))
                        .build())
                .build();
    }

    /** Rejecting while disconnected and replaying nothing: a lost reply must not make a script run a second time. */
    private static ClientOptions.Builder common(ClientOptions.Builder options, Optional<Path> ca, Duration connect) {
        options.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .replayFilter(command -> true)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(connect)
                        .keepAlive(SocketOptions.KeepAliveOptions.builder()
                                .enable()
                                .idle(Duration.ofSeconds(5))
                                .interval(Duration.ofSeconds(2))
                                .count(3)
                                .build())
                        .build());
        ca.ifPresent(file -> options.sslOptions(SslOptions.builder()
                .jdkSslProvider()
                .trustManager(file.toFile())
                .build()));
        return options;
    }

    @Override
    public void close() {
        single.ifPresent(client -> client.shutdown(Duration.ZERO, Duration.ofSeconds(1)));
        cluster.ifPresent(client -> client.shutdown(Duration.ZERO, Duration.ofSeconds(1)));
        resources.shutdown(0, 1, TimeUnit.SECONDS);
        timer.stop();
    }
}
