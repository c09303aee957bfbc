package dev.quiver.controller.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.lettuce.core.RedisException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.RedisEndpoint;
import dev.quiver.lifecycle.RedisMode;
import dev.quiver.lifecycle.RedisStore;

/**
 * {@link StoreAdmin} over the operator's own connection, and over short ones to each further server: a replica that is
 * promoted, or a cluster's other nodes, must know the users too. Thread-safe.
 */
public final class RedisAdmin implements StoreAdmin {

    private static final Logger log = LoggerFactory.getLogger(RedisAdmin.class);
    private static final Pattern REPLICA = Pattern.compile("slave\\d+:ip=([^,]+),port=(\\d+),state=(\\w+).*");
    private static final Pattern CLUSTER_NODE =
            Pattern.compile("\\S+ (\\S+):(\\d+)(?:@\\S*)? (\\S+) .* (connected|disconnected)\\b.*");

    private final RedisStore redis;
    private final RedisEndpoint endpoint;
    private final EachServer each;

    /**
     * Takes the connection over: {@link #close} ends it.
     *
     * @param endpoint that the connection leads to
     */
    public RedisAdmin(RedisStore redis, RedisEndpoint endpoint) {
        this.redis = redis;
        this.endpoint = endpoint;
        this.each = new EachServer(endpoint);
    }

    @Override
    public Deployment look() {
        String info = redis.ask(commands -> commands.info());
        Set<String> identity =
                servers(info).stream().map(Server::toString).collect(Collectors.toCollection(TreeSet::new));
        if (endpoint.mode() != RedisMode.CLUSTER) {
            identity.add(field(info, "run_id"));
        }
        return new Deployment(String.join(" ", identity), field(info, "maxmemory_policy"));
    }

    @Override
    public void setUser(String name, List<String> rules) {
        List<String> words = new ArrayList<>(List.of("SETUSER", name));
        words.addAll(rules);
        everywhere(words);
    }

    @Override
    public void removeUser(String name) {
        everywhere(List.of("DELUSER", name));
    }

    @Override
    public void close() {
        each.close();
        redis.close();
    }

    /** A server beside the one that answers: a replica, or any node of a cluster. */
    private record Server(String host, int port, String state) {}

    private void everywhere(List<String> words) {
        if (endpoint.mode() != RedisMode.CLUSTER) {
            redis.ask(commands -> EachServer.acl(commands, words));
            redis.ask(EachServer::save);
        }
        for (Server server : servers(redis.ask(commands -> commands.info()))) {
            try {
                each.run(server.host(), server.port(), words);
            } catch (RedisException e) {
                // It has no part in this now; when it comes back the deployment is another, and users are asserted
                // again.
                log.warn(
                        "Redis server {}:{} was not told of its users: {}",
                        server.host(),
                        server.port(),
                        e.getMessage());
            }
        }
    }

    private List<Server> servers(String info) {
        boolean cluster = endpoint.mode() == RedisMode.CLUSTER;
        String list = cluster ? redis.ask(commands -> commands.clusterNodes()) : info;
        Pattern pattern = cluster ? CLUSTER_NODE : REPLICA;
        return list.lines()
                .map(pattern::matcher)
                .filter(Matcher::matches)
                .map(m -> new Server(
                        m.group(1), Integer.parseInt(m.group(2)), m.group(3).replace("myself,", "")))
                .filter(s -> !s.state().contains("noaddr") && !s.state().contains("handshake"))
                .toList();
    }

    static String field(String info, String name) {
        return info.lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse("");
    }
}
