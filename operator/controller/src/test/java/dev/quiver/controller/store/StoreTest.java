package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.StoreRefusedException;

/** What a refusal of one keyspace means for the others. */
class StoreTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Keyspace REFUSED = Keyspace.ofNamespace("refused");
    private static final Keyspace OTHER = Keyspace.ofNamespace("other");

    private final AtomicReference<Instant> now = new AtomicReference<>(START);
    private final List<String> told = new ArrayList<>();
    private Store store;

    @BeforeEach
    void open() {
        store = new Store(null, new WellServer(), () -> 1, clock());
        store.look();
        store.onAway(() -> told.add("away"));
        store.onUp(() -> told.add("up"));
    }

    @Test
    void oneRefusedKeyspaceIsNoOutageForTheOthers() {
        store.refused(REFUSED, no("schema 99"));
        store.refused(REFUSED, no("schema 100"));
        assertThat(store.state(REFUSED))
                .isInstanceOfSatisfying(
                        StoreState.Away.class, a -> assertThat(a.reason()).isEqualTo(StoreReason.Unsupported));
        assertThat(store.state(OTHER)).isEqualTo(new StoreState.Up(START));
        store.accepted(REFUSED);
        assertThat(told).isEmpty();
    }

    @Test
    void aKeyspaceThatIsAcceptedAgainIsThereSinceThen() {
        store.refused(REFUSED, no("schema 99"));
        now.set(START.plusSeconds(600));
        store.accepted(REFUSED);
        assertThat(store.state(REFUSED)).isEqualTo(new StoreState.Up(START.plusSeconds(600)));
        assertThat(store.state(OTHER)).isEqualTo(new StoreState.Up(START));
    }

    @Test
    void whatNobodyNamesAnyMoreIsForgotten() {
        store.refused(REFUSED, no("one too many"));
        store.forgetBut(Set.of(REFUSED));
        assertThat(store.state(REFUSED).up()).isFalse();
        store.forgetBut(Set.of(OTHER));
        assertThat(store.state(REFUSED)).isEqualTo(new StoreState.Up(START));
    }

    private Clock clock() {
        return new Clock() {
            @Override
            public Instant instant() {
                return now.get();
            }

            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }
        };
    }

    private static StoreRefusedException no(String message) {
        return new StoreRefusedException(StoreRefusedException.Kind.OTHER, message, null);
    }
}
