package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.redis.StoreUnreachableException;

class StoreWatchTest {

    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-01-01T00:00:00Z"), ZoneOffset.UTC);

    private final List<String> told = new ArrayList<>();
    private StoreAdmin.Deployment deployment = new StoreAdmin.Deployment("one", "noeviction", 7, 5);
    private StoreException failure;
    private final StoreWatch watch = new StoreWatch(admin(), CLOCK, bytes -> told.add("memory " + bytes));

    private StoreAdmin admin() {
        return (StoreAdmin) Proxy.newProxyInstance(
                StoreAdmin.class.getClassLoader(), new Class<?>[] {StoreAdmin.class}, (self, method, arguments) -> {
                    if (failure != null) {
                        throw failure;
                    }
                    return deployment;
                });
    }

    @BeforeEach
    void listen() {
        watch.onUp(() -> told.add("up"));
        watch.onAway(() -> told.add("away"));
    }

    private List<String> look() {
        told.clear();
        watch.look();
        return List.copyOf(told);
    }

    private StoreReason reason() {
        return watch.state() instanceof StoreState.Away away ? away.reason() : null;
    }

    @Test
    void nothingIsKnownBeforeTheFirstLook() {
        assertThat(reason()).isEqualTo(StoreReason.NotAsked);
    }

    @Test
    void listenersHearOnceThatRedisCameAndWent() {
        assertThat(look()).containsExactly("memory 7", "up");
        assertThat(watch.state().up()).isTrue();
        assertThat(look()).containsExactly("memory 7");
        failure = new StoreUnreachableException("refused", null);
        assertThat(look()).containsExactly("away");
        assertThat(look()).isEmpty();
        assertThat(reason()).isEqualTo(StoreReason.Unreachable);
        failure = null;
        assertThat(look()).containsExactly("memory 7", "up");
    }

    @Test
    void anotherServerMayHaveForgottenEverything() {
        look();
        deployment = new StoreAdmin.Deployment("two", "noeviction", 7, 5);
        assertThat(look()).containsExactly("memory 7", "up");
    }

    @Test
    void aRedisThatEvictsKeysIsNotUsed() {
        deployment = new StoreAdmin.Deployment("one", "allkeys-lru", 7, 5);
        assertThat(look()).containsExactly("memory 7", "away");
        assertThat(reason()).isEqualTo(StoreReason.EvictionAllowed);
    }
}
