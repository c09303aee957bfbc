package dev.quiver.lifecycle.redis;

import java.time.Duration;
import java.util.Optional;

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
}
