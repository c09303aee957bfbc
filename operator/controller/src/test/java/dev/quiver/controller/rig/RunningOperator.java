package dev.quiver.controller.rig;

import java.util.Optional;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import dev.quiver.controller.run.RecordSettings;
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
    private final Optional<RecordSettings> record;
    private OperatorRig rig;

    /** Without a history. */
    public RunningOperator() {
        this(Optional.empty());
    }

    /** That asks there for earlier runs. */
    public RunningOperator(RecordSettings record) {
        this(Optional.of(record));
    }

    private RunningOperator(Optional<RecordSettings> record) {
        this.record = record;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        redis.beforeAll(context);
        var client = ApiServer.client(context);
        rig = record.map(its ->
                        OperatorRig.withRecord(client.getConfiguration(), client.getNamespace(), redisUri(), its))
                .orElseGet(
                        () -> OperatorRig.of(client.getConfiguration(), client.getNamespace(), redisUri(), Rates.USUAL))
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
