package dev.quiver.controller.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.redis.FunctionRights;
import dev.quiver.lifecycle.redis.ScriptLibrary;
import dev.quiver.lifecycle.redis.StoreRefusedException;

/**
 * Keeps the library of functions on every server, where Redis accepts it: then tenants need no right to run their own
 * Lua. A Redis that came back empty, or a new node, gets it again. {@link #ensureLoaded} and {@link #dropOld} are for
 * one thread each.
 */
final class Functions {

    private static final Logger log = LoggerFactory.getLogger(Functions.class);
    private static final Duration TRY_AGAIN = Duration.ofSeconds(5);

    /** Longer than a rollout takes; a library that a worker names is kept longer, until no worker names it. */
    private static final Duration OLD = Duration.ofDays(1);

    /** Sends a command to every server that takes writes; returns the error of each that did not execute it. */
    @FunctionalInterface
    interface Masters {
        Map<EachServer.Address, Throwable> ask(
                Function<RedisClusterAsyncCommands<String, String>, CompletionStage<?>> question);
    }

    private final ScriptLibrary library;
    private final LongSupplier nanos;
    private final Map<String, Long> foreignSince = new ConcurrentHashMap<>();
    /** A library that comes back after its deletion belongs to another operator. */
    private final Set<String> deleted = ConcurrentHashMap.newKeySet();

    private volatile FunctionRights rights;
    private volatile boolean missing = true;
    private volatile StoreAdmin.Lua lua = StoreAdmin.Lua.UNKNOWN;
    private boolean refusalLogged;
    private long notBefore;

    Functions(ScriptLibrary library) {
        this(library, System::nanoTime);
    }

    /** With a clock of its own. */
    Functions(ScriptLibrary library, LongSupplier nanos) {
        this.library = library;
        this.rights = FunctionRights.of(library);
        this.nanos = nanos;
        this.notBefore = nanos.getAsLong();
    }

    /** Notes that a server lacks the library, or may lack it. */
    void missing() {
        missing = true;
    }

    /** How the scripts are called, as of the last answer; {@code SCRIPTS} only after a server refused functions. */
    StoreAdmin.Lua lua() {
        return lua;
    }

    /** The rights to call functions of all libraries that the servers have, as of the last {@link #list}. */
    FunctionRights rights() {
        return rights;
    }

    /** Looks which libraries there are; those of other releases come and go. A server that is away changes nothing. */
    void list(Masters masters) {
        if (lua != StoreAdmin.Lua.FUNCTIONS) {
            return;
        }
        Queue<Map<String, Object>> found = new ConcurrentLinkedQueue<>();
        Map<EachServer.Address, Throwable> failed = masters.ask(
                redis -> redis.functionList(ScriptLibrary.PREFIX + "*").thenAccept(found::addAll));
        if (failed.isEmpty()) {
            rights = FunctionRights.of(library, found);
        }
    }

    /** Loads the library where it is missing; true when it was missing. */
    boolean ensureLoaded(Masters masters) {
        if (!missing || nanos.getAsLong() - notBefore < 0) {
            return false;
        }
        missing = false;
        Map<EachServer.Address, Throwable> failed = masters.ask(this::load);
        if (failed.isEmpty()) {
            lua = StoreAdmin.Lua.FUNCTIONS;
            return true;
        }
        for (Throwable why : failed.values()) {
            if (refused(why)) {
                lua = StoreAdmin.Lua.SCRIPTS;
                if (!refusalLogged) {
                    refusalLogged = true;
                    log.warn(
                            "this Redis takes no functions, so each tenant may run Lua of its own: {}",
                            why.getMessage());
                }
                return false;
            }
        }
        log.info(
                "Redis functions could not be loaded everywhere and will be{}: {}",
                lua == StoreAdmin.Lua.UNKNOWN ? "; until then no tenant gets a user" : "",
                failed);
        notBefore = nanos.getAsLong() + TRY_AGAIN.toNanos();
        missing = true;
        return false;
    }

    /** Asks for the library first: a full Redis refuses to load it, even where it is already there. */
    private CompletionStage<?> load(RedisClusterAsyncCommands<String, String> redis) {
        return redis.functionList(library.name())
                .exceptionally(unanswered -> List.of())
                .thenCompose(found ->
                        found.isEmpty() ? loadLibrary(redis) : CompletableFuture.completedFuture(library.name()));
    }

    private CompletionStage<String> loadLibrary(RedisClusterAsyncCommands<String, String> redis) {
        return redis.functionLoad(library.source())
                .handle((name, failure) -> failure == null || mentions(failure, "already exists")
                        ? CompletableFuture.completedFuture(library.name())
                        : CompletableFuture.<String>failedFuture(failure))
                .thenCompose(Function.identity());
    }

    /** Whether Redis lacks the command or the right to it; any other error passes. */
    private static boolean refused(Throwable why) {
        return mentions(why, "unknown command") || mentions(why, "NOPERM") || mentions(why, "unknown subcommand");
    }

    private static boolean mentions(Throwable failure, String text) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if ((at instanceof RedisCommandExecutionException || at instanceof StoreRefusedException)
                    && at.getMessage().contains(text)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Deletes libraries of other versions that no worker calls any more, a day after they were first seen. Each is
     * deleted once, for another operator of this Redis loads its own again.
     *
     * @param used names of libraries that workers call
     */
    void dropOld(Set<String> used, Masters masters) {
        if (lua != StoreAdmin.Lua.FUNCTIONS) {
            return;
        }
        Set<String> found = ConcurrentHashMap.newKeySet();
        masters.ask(redis -> redis.functionList(ScriptLibrary.PREFIX + "*")
                .thenAccept(libraries -> libraries.forEach(one -> found.add(String.valueOf(one.get("library_name"))))));
        found.remove(library.name());
        found.removeAll(used);
        found.removeAll(deleted);
        foreignSince.keySet().retainAll(found);
        long now = nanos.getAsLong();
        for (String name : found) {
            if (now - foreignSince.computeIfAbsent(name, first -> now) > OLD.toNanos()) {
                log.info("deleting Redis functions {}: no worker calls them", name);
                foreignSince.remove(name);
                deleted.add(name);
                masters.ask(redis -> delete(redis, name));
            }
        }
    }

    private static CompletionStage<?> delete(RedisClusterAsyncCommands<String, String> redis, String name) {
        return redis.dispatch(
                        CommandType.FUNCTION,
                        new StatusOutput<>(StringCodec.UTF8),
                        new CommandArgs<>(StringCodec.UTF8).add("DELETE").add(name))
                .exceptionally(gone -> "");
    }
}
