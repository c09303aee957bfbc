package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.RedisClusterProcesses;
import dev.quiver.lifecycle.RedisProcess;
import dev.quiver.lifecycle.RedisStore;

class RedisAdminIT {

    @Test
    void everyNodeOfAClusterKnowsTheUsers() {
        Assumptions.assumeTrue(RedisProcess.installed(), "redis-server is not installed: apt-get install redis-server");
        try (RedisClusterProcesses cluster = new RedisClusterProcesses();
                RedisAdmin admin = new RedisAdmin(RedisStore.open(cluster.endpoint(), "test"), cluster.endpoint())) {
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
}
