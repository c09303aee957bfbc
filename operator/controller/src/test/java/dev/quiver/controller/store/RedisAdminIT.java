package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;

import io.lettuce.core.FlushMode;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.Seen;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.PatientStore;
import dev.quiver.lifecycle.redis.RedisClusterProcesses;
import dev.quiver.lifecycle.redis.RedisProcess;
import dev.quiver.lifecycle.redis.RedisStore;

class RedisAdminIT {

    @Test
    void everyNodeOfAClusterKnowsTheUsers() {
        Assumptions.assumeTrue(RedisProcess.installed(), "redis-server is not installed: apt-get install redis-server");
        try (RedisClusterProcesses cluster = new RedisClusterProcesses();
                RedisAdmin admin = new RedisAdmin(
                        PatientStore.open(cluster.endpoint(), "test"), cluster.endpoint(), Lifecycle.LIBRARY)) {
            String before = admin.look().identity();
            assertThat(admin.look().identity()).as("asking changes nothing").isEqualTo(before);
            assertThat(admin.look().evictionPolicy()).isEqualTo("noeviction");
            admin.setUser("tenant", List.of("reset", "on", ">secret", "+ping"));
            List<String> nodes = before.lines()
                    .flatMap(l -> java.util.regex.Pattern.compile("port=(\\d+)")
                            .matcher(l)
                            .results())
                    .map(m -> "redis://tenant:secret@127.0.0.1:" + m.group(1))
                    .toList();
            assertThat(nodes).hasSizeGreaterThanOrEqualTo(3);
            try (RedisClient client = RedisClient.create()) {
                nodes.forEach(node -> {
                    try (var connection = client.connect(RedisURI.create(node))) {
                        assertThat(connection.sync().ping()).isEqualTo("PONG");
                    }
                });
            }
            admin.removeUser("tenant");
        }
    }

    @Test
    void everyMasterHasTheFunctionsAgainWhenItLostThem() {
        Assumptions.assumeTrue(RedisProcess.installed(), "redis-server is not installed: apt-get install redis-server");
        try (RedisClusterProcesses cluster = new RedisClusterProcesses();
                RedisStore store = PatientStore.open(cluster.endpoint(), "test", Lifecycle.LIBRARY);
                RedisAdmin admin = new RedisAdmin(store, cluster.endpoint(), Lifecycle.LIBRARY)) {
            assertThat(admin.lua()).isEqualTo(StoreAdmin.Lua.UNKNOWN);
            admin.look();
            assertThat(admin.lua()).isEqualTo(StoreAdmin.Lua.FUNCTIONS);
            List<String> nodes = ports(admin.look().identity());
            try (RedisClient client = RedisClient.create()) {
                nodes.forEach(node -> {
                    try (var connection = client.connect(RedisURI.create(node))) {
                        assertThat(connection.sync().functionList()).hasSize(1);
                        connection.sync().functionFlush(FlushMode.SYNC);
                    }
                });
                // A call finds out on the node that it goes to, and is done there all the same.
                new Lifecycle(store).health(Keyspace.ofNamespace("a"), 1).observe(Optional.empty());
                admin.look();
                nodes.forEach(node -> {
                    try (var connection = client.connect(RedisURI.create(node))) {
                        assertThat(connection.sync().functionList()).hasSize(1);
                    }
                });
            }
        }
    }

    @Test
    void aRedisThatTakesNoFunctionsIsUsedWithScripts() {
        Assumptions.assumeTrue(RedisProcess.installed(), "redis-server is not installed: apt-get install redis-server");
        try (RedisProcess redis = RedisProcess.start("--rename-command", "FUNCTION", "");
                RedisAdmin admin = new RedisAdmin(redis.open(), redis.endpoint(), Lifecycle.LIBRARY)) {
            admin.look();
            assertThat(admin.lua()).isEqualTo(StoreAdmin.Lua.SCRIPTS);
        }
    }

    @Test
    void aFullRedisThatHasTheFunctionsIsUsedWithThem() {
        Assumptions.assumeTrue(RedisProcess.installed(), "redis-server is not installed: apt-get install redis-server");
        try (RedisProcess redis = RedisProcess.start();
                RedisStore store = redis.open()) {
            store.ask(r -> r.functionLoad(Lifecycle.LIBRARY.source()));
            store.ask(r -> r.configSet("maxmemory", "1"));
            try (RedisAdmin admin = new RedisAdmin(redis.open(), redis.endpoint(), Lifecycle.LIBRARY)) {
                admin.look();
                assertThat(admin.lua()).isEqualTo(StoreAdmin.Lua.FUNCTIONS);
            }
        }
    }

    @Test
    void aFullRedisWithoutTheFunctionsHasRefusedNothing() {
        Assumptions.assumeTrue(RedisProcess.installed(), "redis-server is not installed: apt-get install redis-server");
        try (RedisProcess redis = RedisProcess.start("--maxmemory", "1");
                RedisStore store = redis.open();
                RedisAdmin admin = new RedisAdmin(redis.open(), redis.endpoint(), Lifecycle.LIBRARY)) {
            String before = admin.look().identity();
            assertThat(admin.lua()).isEqualTo(StoreAdmin.Lua.UNKNOWN);
            store.ask(r -> r.configSet("maxmemory", "0"));
            Seen.until(() -> admin.look().identity(), now -> !now.equals(before));
            assertThat(admin.lua()).isEqualTo(StoreAdmin.Lua.FUNCTIONS);
        }
    }

    private static List<String> ports(String identity) {
        return identity.lines()
                .flatMap(l -> java.util.regex.Pattern.compile("port=(\\d+)")
                        .matcher(l)
                        .results())
                .map(m -> "redis://127.0.0.1:" + m.group(1))
                .toList();
    }
}
