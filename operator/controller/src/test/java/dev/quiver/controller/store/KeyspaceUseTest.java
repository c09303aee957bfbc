package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.keyspace.Keyspace;

class KeyspaceUseTest {

    private static final Keyspace POOL = Keyspace.ofNamespace("pool");
    private static final Keyspace RUN = Keyspace.ofNamespace("run");

    private final KeyspaceUse use = new KeyspaceUse();

    @Test
    void aPoolOrARunUsesAKeyspace() {
        use.set(Set.of(POOL), Set.of(RUN));
        assertThat(use.used()).containsExactlyInAnyOrder(POOL, RUN);
        assertThat(use.hasPools(POOL)).isTrue();
        assertThat(use.hasPools(RUN)).isFalse();
        assertThat(use.hasRuns(RUN)).isTrue();
        assertThat(use.hasRuns(POOL)).isFalse();
        use.set(Set.of(), Set.of(RUN));
        assertThat(use.isUsed(POOL)).isFalse();
        assertThat(use.isUsed(RUN)).isTrue();
    }

    @Test
    void aKeyspaceLingersAfterItsLastUse() {
        use.set(Set.of(POOL), Set.of());
        assertThat(use.lingering()).as("before a tick is noted").isEmpty();
        use.note(7);
        use.set(Set.of(), Set.of());
        use.note(7 + KeyspaceUse.LINGER_TICKS);
        assertThat(use.lingering()).containsExactly(POOL);
        use.note(8 + KeyspaceUse.LINGER_TICKS);
        assertThat(use.lingering()).isEmpty();
    }
}
