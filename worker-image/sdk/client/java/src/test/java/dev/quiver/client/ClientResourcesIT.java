package dev.quiver.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.scheduling.PoolOrder;

/** Jobs wait for resources, which a program closes and opens with the rights that a program has. */
class ClientResourcesIT {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private Workers workers;
    private QuiverClient quiver;

    @BeforeEach
    void begin() {
        workers = new Workers(REDIS.process(), "gates" + NUMBER.incrementAndGet());
        quiver = workers.client();
        workers.lifecycle
                .order(workers.keyspace, 1)
                .arrange(
                        "default",
                        new PoolOrder.Wishes(
                                Map.of(),
                                0,
                                Optional.empty(),
                                Map.of(
                                        "online",
                                        PoolOrder.Declared.uncounted(true),
                                        "tenant!*",
                                        PoolOrder.Declared.uncounted(true)),
                                Map.of()));
    }

    @AfterEach
    void end() {
        quiver.close();
        workers.close();
    }

    @Test
    void whatNamesAClosedResourceWaits() throws Exception {
        quiver.close("billing", "tenant!*");
        List<Handle> all = quiver.submit(List.of(
                Job.call("echo", "acme").resources("online", "tenant!acme"),
                Job.group(Job.call("echo", "one"), Job.call("echo", "two").resources())
                        .resources("tenant!other"),
                Job.call("echo", "plain")));
        assertThat(quiver.resources())
                .filteredOn(state -> state.waiting() > 0)
                .extracting(ResourceState::name)
                .containsExactly("tenant!acme", "tenant!other");
        workers.start();
        Awaitility.await().atMost(LONG).until(() -> workers.echoed.size() == 2);
        assertThat(List.copyOf(workers.echoed)).containsExactly("two", "plain");
        quiver.open("billing", "tenant!*");
        quiver.awaitAll(all, LONG);
        assertThat(List.copyOf(workers.echoed)).containsExactly("two", "plain", "acme", "one");
    }

    @Test
    void aClosingEndsByItselfOrByWhomeverOpensForAll() {
        quiver.close("one", "online", LONG);
        quiver.close("other", "online");
        quiver.open("third", "online");
        assertThat(online()).returns(true, ResourceState::missing).returns(Optional.of("one"), ResourceState::closedBy);
        quiver.openAll("third", "online");
        assertThat(online().missing()).isFalse();
        quiver.close("one", "online", Duration.ofMillis(20));
        Awaitility.await().atMost(LONG).until(() -> {
            workers.lifecycle.reaper(workers.keyspace).tick();
            return !online().missing();
        });
    }

    private ResourceState online() {
        return quiver.resources().stream()
                .filter(state -> state.name().equals("online"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whatMakesNoSenseIsRefusedInWords() {
        assertThatThrownBy(() -> quiver.submit(Job.call("echo").resources("a", "b", "c", "d", "e", "f", "g", "h", "i")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("resources", "9");
        assertThatThrownBy(() -> quiver.close("me", "not online"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("resource has \"not online\"");
        assertThatThrownBy(() -> quiver.close("spec", "online")).hasMessageContaining("no program has");
    }
}
