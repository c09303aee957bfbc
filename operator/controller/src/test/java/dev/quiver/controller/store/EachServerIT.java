package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;

import io.lettuce.core.RedisCommandExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.store.EachServer.Address;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;

/** Servers that do not answer cost the others nothing, and one bound is for all of them. */
class EachServerIT {

    private static final String HOST = "127.0.0.1";

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private EachServer each;

    @BeforeEach
    void open() {
        each = new EachServer(REDIS.endpoint());
    }

    @AfterEach
    void close() {
        each.close();
    }

    private Map<Address, Throwable> tell(List<Address> servers, String... parts) {
        return each.ask(
                servers, redis -> EachServer.acl(redis, List.of(parts)).thenCompose(d -> EachServer.save(redis)));
    }

    private static List<Object> users() {
        try (RedisStore store = REDIS.open()) {
            return store.ask(redis -> EachServer.acl(redis, List.of("USERS")));
        }
    }

    @Test
    @Timeout(120)
    void aServerThatIsSilentIsReportedAndTheOthersAreTold() throws IOException {
        Address well = new Address(HOST, REDIS.process().port());
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                ServerSocket another = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Address first = new Address(HOST, silent.getLocalPort());
            Address second = new Address(HOST, another.getLocalPort());
            Map<Address, Throwable> failed = tell(List.of(first, well, second), "SETUSER", "quiver-x", "on");
            assertThat(failed).containsOnlyKeys(first, second);
            assertThat(failed.values()).allMatch(why -> why instanceof TimeoutException);
            assertThat(users()).contains("quiver-x");
            assertThat(tell(List.of(first, well), "DELUSER", "quiver-x").get(first))
                    .as("left alone for a while")
                    .hasMessageContaining("a moment ago");
            assertThat(users()).doesNotContain("quiver-x");
        }
    }

    /** Their greetings begin one after the other, and one bound holds for all: none is told as one that refused. */
    @Test
    @Timeout(120)
    void manyServersThatAreSilentAreAllReportedAsSilent() throws IOException {
        List<ServerSocket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 100; i++) {
                silent.add(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
            }
            List<Address> servers = silent.stream()
                    .map(socket -> new Address(HOST, socket.getLocalPort()))
                    .toList();
            Map<Address, Throwable> failed = tell(servers, "SETUSER", "quiver-x", "on");
            assertThat(failed).containsOnlyKeys(servers);
            assertThat(failed.values())
                    .allSatisfy(why ->
                            assertThat(why).isInstanceOf(TimeoutException.class).hasMessage("no answer in 2 s"));
        } finally {
            for (ServerSocket socket : silent) {
                socket.close();
            }
        }
    }

    @Test
    void aServerThatIsNotThereAndOneThatSaysNoAreReported() throws IOException {
        Address nobody;
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = new Address(HOST, closed.getLocalPort());
        }
        Address well = new Address(HOST, REDIS.process().port());
        Map<Address, Throwable> failed = tell(List.of(nobody, well), "SETUSER", "quiver-x", "no such rule");
        assertThat(failed).containsOnlyKeys(nobody, well);
        assertThat(failed.get(well)).isInstanceOf(RedisCommandExecutionException.class);
    }
}
