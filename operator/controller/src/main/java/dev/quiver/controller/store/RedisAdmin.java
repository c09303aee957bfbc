package dev.quiver.controller.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.redis.CallRights;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisMode;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptLibrary;
import dev.quiver.lifecycle.redis.StoreException;

/**
 * {@link StoreAdmin} over the operator's own connection, and over short ones to each further server. A replica that is
 * promoted, or a cluster's other nodes, must have the users too. Thread-safe; {@link #look} is for one thread.
 */
public final class RedisAdmin implements StoreAdmin {

    private static final Logger log = LoggerFactory.getLogger(RedisAdmin.class);

    private final RedisStore redis;
    private final RedisEndpoint endpoint;
    private final EachServer each;
    private final Functions functions;
    private String lastIdentity = "";
    private volatile boolean tellsOfDisk;

    /**
     * Owns the connection from now on: {@link #close} ends it.
     *
     * @param endpoint of the connection
     * @param library the library of the scripts of operator and supervisors
     */
    public RedisAdmin(RedisStore redis, RedisEndpoint endpoint, ScriptLibrary library) {
        this.redis = redis;
        this.endpoint = endpoint;
        this.each = new EachServer(endpoint);
        this.functions = new Functions(library);
        redis.onFunctionMissing(functions::missing);
    }

    @Override
    public Deployment look() {
        String info = redis.ask(commands -> commands.info());
        tellsOfDisk = !cluster()
                && redis.ask(commands -> commands.commandInfo("waitaof")).stream()
                        .anyMatch(Objects::nonNull);
        List<Servers.Server> servers = servers(info);
        Set<String> identity =
                servers.stream().map(Servers.Server::identity).collect(Collectors.toCollection(TreeSet::new));
        if (!cluster()) {
            identity.add(field(info, "run_id"));
        }
        String now = String.join(" ", identity);
        if (!now.equals(lastIdentity)) {
            functions.missing();
            lastIdentity = now;
        }
        if (functions.ensureLoaded(question -> onEachMaster(servers, question))) {
            redis.preferFunctions();
        }
        functions.list(question -> onEachMaster(servers, question));
        String called = functions.lua() + " "
                + Integer.toHexString(functions.rights().toString().hashCode());
        return new Deployment(
                now + " " + called,
                field(info, "maxmemory_policy"),
                bytes(info, "maxmemory"),
                bytes(info, "used_memory"));
    }

    @Override
    public Lua lua() {
        return functions.lua();
    }

    @Override
    public CallRights calls() {
        return new CallRights(
                Optional.of(functions.rights()).filter(known -> functions.lua() == Lua.FUNCTIONS),
                endpoint.database(),
                tellsOfDisk);
    }

    @Override
    public void dropOldFunctions(Set<String> used) {
        List<Servers.Server> servers = cluster() ? servers("") : List.of();
        functions.dropOld(used, question -> onEachMaster(servers, question));
    }

    @Override
    public boolean setUser(String name, List<String> rules) {
        List<String> parts = new ArrayList<>(List.of("SETUSER", name));
        parts.addAll(rules);
        return everywhere(parts);
    }

    @Override
    public boolean removeUser(String name) {
        return everywhere(List.of("DELUSER", name));
    }

    @Override
    public void close() {
        each.close();
        redis.close();
    }

    private boolean cluster() {
        return endpoint.mode() == RedisMode.CLUSTER;
    }

    private boolean everywhere(List<String> parts) {
        if (!cluster()) {
            redis.ask(commands -> EachServer.acl(commands, parts));
            redis.ask(EachServer::save);
        }
        List<Servers.Server> servers = servers(cluster() ? "" : redis.ask(commands -> commands.info()));
        Map<EachServer.Address, Throwable> failed = each.ask(
                addresses(servers.stream().filter(Servers.Server::reachable).toList()),
                commands -> EachServer.acl(commands, parts).thenCompose(done -> EachServer.save(commands)));
        failed.forEach((server, why) ->
                log.warn("Redis server {} did not get its users, and will: {}", server, why.getMessage()));
        // One that is gone has another state when it comes back: then all users are asserted again.
        return failed.isEmpty() && servers.stream().allMatch(server -> server.reachable() || server.gone());
    }

    /**
     * Sends a command to the server that answers, or to each master of a cluster; returns the error of each that did
     * not execute it.
     */
    private Map<EachServer.Address, Throwable> onEachMaster(
            List<Servers.Server> servers,
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<?>> question) {
        if (!cluster()) {
            try {
                redis.ask(commands -> question.apply(commands).thenApply(done -> true));
                return Map.of();
            } catch (StoreException no) {
                return Map.of(new EachServer.Address("the server", 0), no);
            }
        }
        List<Servers.Server> masters = servers.stream()
                .filter(server -> server.master() && !server.gone())
                .toList();
        Map<EachServer.Address, Throwable> failed = each.ask(
                addresses(masters.stream().filter(Servers.Server::reachable).toList()), question);
        masters.stream()
                .filter(server -> !server.reachable())
                .forEach(server -> failed.put(server.address(), new TimeoutException("no link to it")));
        return failed;
    }

    private static List<EachServer.Address> addresses(List<Servers.Server> servers) {
        return servers.stream().map(Servers.Server::address).toList();
    }

    private List<Servers.Server> servers(String info) {
        return cluster() ? Servers.nodes(redis.ask(commands -> commands.clusterNodes())) : Servers.replicas(info);
    }

    private static long bytes(String info, String name) {
        String bytes = field(info, name);
        return bytes.isEmpty() ? 0 : Long.parseLong(bytes);
    }

    static String field(String info, String name) {
        return info.lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse("");
    }
}
