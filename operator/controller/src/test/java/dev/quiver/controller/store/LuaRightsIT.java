package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.controller.rig.OperatorRig;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.RedisProcess;
import dev.quiver.lifecycle.redis.RedisStore;

/** A tenant may run Lua of its own only where Redis has refused functions. */
@ExtendWith(ApiServer.class)
class LuaRightsIT {

    @Test
    void aFullRedisAtTheStartGivesNobodyLuaOfItsOwn(KubernetesClient client) {
        Seen seen = new Seen(client);
        String user = "quiver-" + client.getNamespace();
        try (RedisProcess redis = RedisProcess.start("--maxmemory", "1");
                RedisStore store = redis.open();
                OperatorRig rig = OperatorRig.of(client.getConfiguration(), client.getNamespace(), redis.uri())
                        .start()) {
            client.resource(Samples.pool("full", 0)).create();
            seen.awaitPool("full", ConditionType.StoreReachable, StoreReason.OutOfMemory);
            assertThat(rules(store, user)).isEmpty();
            store.ask(r -> r.configSet("maxmemory", "0"));
            List<String> rules = Seen.until(() -> rules(store, user), found -> !found.isEmpty());
            assertThat(rules).first().asString().contains("+fcall").doesNotContain("+eval");
            assertThat(rig.lost).hasValue(0);
            seen.deleteAll();
        }
    }

    @Test
    void usersFollowTheLibrariesThatComeAndGo(KubernetesClient client) {
        Seen seen = new Seen(client);
        String user = "quiver-" + client.getNamespace();
        String other = "quiver_0123456789abcdef";
        try (RedisProcess redis = RedisProcess.start();
                RedisStore store = redis.open();
                OperatorRig rig = OperatorRig.of(client.getConfiguration(), client.getNamespace(), redis.uri())
                        .start()) {
            client.resource(Samples.pool("followed", 0)).create();
            List<String> own = Seen.until(() -> rules(store, user), found -> !found.isEmpty());
            assertThat(own.getFirst())
                    .contains("+fcall|" + Lifecycle.LIBRARY.name() + "_task_step", "+select|0")
                    .doesNotContain("_task_drop ", "_task_submit", "+fcall ");
            store.ask(r -> r.functionLoad(Lifecycle.LIBRARY.source().replace(Lifecycle.LIBRARY.name(), other)));
            Seen.until(
                    () -> rules(store, user + ".client"),
                    found -> !found.isEmpty() && found.getFirst().contains("+fcall|" + other + "_task_submit"));
            Seen.until(() -> rules(store, user), found -> found.getFirst().contains("+fcall|" + other + "_task_step"));
            store.ask(r -> r.dispatch(
                    CommandType.FUNCTION,
                    new StatusOutput<>(StringCodec.UTF8),
                    new CommandArgs<>(StringCodec.UTF8).add("DELETE").add(other)));
            Seen.until(() -> rules(store, user), found -> !found.getFirst().contains(other));
            assertThat(rig.lost).hasValue(0);
            seen.deleteAll();
        }
    }

    private static List<String> rules(RedisStore store, String user) {
        List<Object> all = store.ask(redis -> redis.dispatch(
                CommandType.ACL, new ArrayOutput<>(StringCodec.UTF8), new CommandArgs<>(StringCodec.UTF8).add("LIST")));
        return all.stream()
                .map(Object::toString)
                .filter(line -> line.startsWith("user " + user + " "))
                .toList();
    }
}
