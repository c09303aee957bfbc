package dev.quiver.lifecycle.redis;

import java.time.Duration;
import java.util.Optional;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.awaitility.Awaitility;

/**
 * Opens stores for tests whose subject is not how Redis is lost. A machine that is busy with other tests may stand still
 * for longer than the seconds after which a store gives Redis up.
 */
public final class PatientStore {

    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final RedisTimes TIMES = new RedisTimes(LIMIT, LIMIT, LIMIT);

    private PatientStore() {}

    /** A store that calls scripts by their text. */
    public static RedisStore open(RedisEndpoint endpoint, String clientName) {
        return new RedisStore(endpoint, clientName, Optional.empty(), TIMES);
    }

    /** The same, which calls scripts as functions where Redis has them. */
    public static RedisStore open(RedisEndpoint endpoint, String clientName, ScriptLibrary library) {
        return new RedisStore(endpoint, clientName, Optional.of(library), TIMES);
    }

    /** Gives a namespace's user its rights to the functions that Redis has by now. Its password is {@code secret}. */
    public static void grant(
            RedisStore admin, String namespace, Optional<String> grantedPrefix, ScriptLibrary library) {
        FunctionRights functions =
                FunctionRights.of(library, admin.ask(all -> all.functionList(ScriptLibrary.PREFIX + "*")));
        CommandArgs<String, String> rules =
                new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add(namespace);
        RedisRights.rules(namespace, CallRights.of(functions), grantedPrefix).forEach(rules::add);
        rules.add(">secret");
        admin.ask(all -> all.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), rules));
    }

    /**
     * A store with the rights of a namespace's Redis user, which is made, and the library, which is loaded.
     *
     * @param grantedPrefix beside its keyspaces
     */
    public static RedisStore ofTenant(
            RedisServer redis, String namespace, Optional<String> grantedPrefix, ScriptLibrary library) {
        redis.store().ask(all -> all.functionLoad(library.source(), true));
        grant(redis.store(), namespace, grantedPrefix, library);
        String uri =
                "redis://" + namespace + ":secret@127.0.0.1:" + redis.process().port();
        RedisStore opened = open(RedisEndpoint.standalone(uri), namespace, library);
        // On a busy machine the connection may not be there at once.
        Awaitility.await("a connection of " + namespace)
                .ignoreException(StoreUnreachableException.class)
                .until(() -> {
                    opened.ping();
                    return true;
                });
        return opened;
    }
}
