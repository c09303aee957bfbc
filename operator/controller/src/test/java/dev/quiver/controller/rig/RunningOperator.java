package dev.quiver.controller.rig;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import dev.quiver.controller.store.StoreLoop.Rates;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.lifecycle.redis.RedisServer;

/**
 * Runs an operator over the namespace of the test class and a Redis of its own:
 * {@code @ExtendWith(ApiServer.class)} on the class, and in it {@code @RegisterExtension static final RunningOperator
 * OPERATOR = new RunningOperator();}.
 */
public final class RunningOperator implements BeforeAllCallback, AfterAllCallback {

    private final RedisServer redis = new RedisServer();
    private OperatorRig rig;

    @Override
    public void beforeAll(ExtensionContext context) {
        redis.beforeAll(context);
        var client = ApiServer.client(context);
        rig = OperatorRig.of(client.getConfiguration(), client.getNamespace(), redisUri(), Rates.USUAL)
                .start();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (rig != null) {
            rig.close();
        }
        redis.afterAll(context);
    }

    /** Its Redis. */
    public RedisServer redis() {
        return redis;
    }

    /** Where its Redis is. */
    public String redisUri() {
        return redis.process().uri();
    }
}
