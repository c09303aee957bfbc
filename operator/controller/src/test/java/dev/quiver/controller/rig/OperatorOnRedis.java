package dev.quiver.controller.rig;

import java.util.List;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.lifecycle.redis.RedisProcess;
import dev.quiver.lifecycle.redis.RedisStore;

/** Tests of a class that has a namespace, an operator and a Redis to itself. */
@ExtendWith(ApiServer.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class OperatorOnRedis {

    protected RedisProcess redis;
    private OperatorRig rig;

    @BeforeAll
    void start(KubernetesClient client) {
        redis = RedisProcess.start();
        rig = OperatorRig.of(client.getConfiguration(), client.getNamespace(), redis.uri())
                .start();
    }

    @AfterAll
    void stop() {
        rig.close();
        redis.close();
    }

    /** The names of the users that a Redis knows. */
    protected static List<Object> users(RedisStore store) {
        return store.ask(redis -> redis.dispatch(
                CommandType.ACL,
                new ArrayOutput<>(StringCodec.UTF8),
                new CommandArgs<>(StringCodec.UTF8).add("USERS")));
    }
}
