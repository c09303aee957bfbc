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

/** The meaning of a refusal of one keyspace for the others. */
class StoreTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Keyspace REFUSED = Keyspace.ofNamespace("refused");
    private static final Keyspace OTHER = Keyspace.ofNamespace("other");

    private final AtomicReference<Instant> now = new AtomicReference<>(START);
    private final List<String> told = new ArrayList<>();
    private StoreWatch store;
    private KeyspaceStates keyspaces;

    @BeforeEach
    void open() {
        store = new StoreWatch(new WellServer(), clock(), _ -> {});
        keyspaces = new KeyspaceStates(store, clock());
        store.look();
        store.onAway(() -> told.add("away"));
        store.onUp(() -> told.add("up"));
    }

    @Test
    void oneRefusedKeyspaceIsNoOutageForTheOthers() {
        keyspaces.refused(REFUSED, no("schema 99"));
        keyspaces.refused(REFUSED, no("schema 100"));
        assertThat(keyspaces.of(REFUSED))
                .isInstanceOfSatisfying(
                        StoreState.Away.class, a -> assertThat(a.reason()).isEqualTo(StoreReason.Unsupported));
        assertThat(keyspaces.of(OTHER)).isEqualTo(new StoreState.Up(START));
        keyspaces.accepted(REFUSED);
        assertThat(told).isEmpty();
    }

    @Test
    void aKeyspaceThatIsAcceptedAgainIsThereSinceThen() {
        keyspaces.refused(REFUSED, no("schema 99"));
        now.set(START.plusSeconds(600));
        keyspaces.accepted(REFUSED);
        assertThat(keyspaces.of(REFUSED)).isEqualTo(new StoreState.Up(START.plusSeconds(600)));
        assertThat(keyspaces.of(OTHER)).isEqualTo(new StoreState.Up(START));
    }

    @Test
    void whatNobodyNamesAnyMoreIsForgotten() {
        keyspaces.refused(REFUSED, no("one too many"));
        keyspaces.forgetBut(Set.of(REFUSED));
        assertThat(keyspaces.of(REFUSED).up()).isFalse();
        keyspaces.forgetBut(Set.of(OTHER));
        assertThat(keyspaces.of(REFUSED)).isEqualTo(new StoreState.Up(START));
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
