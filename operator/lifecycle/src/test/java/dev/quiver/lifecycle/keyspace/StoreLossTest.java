package dev.quiver.lifecycle.keyspace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;

import org.junit.jupiter.api.Test;

class StoreLossTest {

    private static final StoreFacts KNOWN = new StoreFacts("e1", 7, Optional.of("r1"));

    private static StoreChange decide(StoreFacts seen) {
        return StoreLoss.decide(Optional.of(KNOWN), Optional.of(seen));
    }

    @Test
    void aKeyspaceNeverSeenIsNoLoss() {
        assertThat(StoreLoss.decide(Optional.empty(), Optional.empty())).isEqualTo(new StoreChange.Same());
        assertThat(StoreLoss.decide(Optional.empty(), Optional.of(KNOWN))).isEqualTo(new StoreChange.Same());
    }

    @Test
    void missingOrOtherEpochIsEmpty() {
        assertThat(StoreLoss.decide(Optional.of(KNOWN), Optional.empty())).isEqualTo(new StoreChange.Empty());
        assertThat(decide(new StoreFacts("e2", 99, Optional.of("r1")))).isEqualTo(new StoreChange.Empty());
    }

    @Test
    void aLowerBeatIsRewoundWhoeverServesIt() {
        assertThat(decide(new StoreFacts("e1", 5, Optional.of("r2")))).isEqualTo(new StoreChange.Rewound(2));
    }

    @Test
    void anotherProcessWithAllBeatsIsRestarted() {
        assertThat(decide(new StoreFacts("e1", 7, Optional.of("r2")))).isEqualTo(new StoreChange.Restarted());
    }

    @Test
    void aServerThatDoesNotTellItsRunIdIsTheSame() {
        assertThat(decide(new StoreFacts("e1", 8, Optional.empty()))).isEqualTo(new StoreChange.Same());
        assertThat(decide(KNOWN)).isEqualTo(new StoreChange.Same());
    }

    @Test
    void aBeatOnAnOlderStoreDoesNotFollow() {
        StoreFacts kept = new StoreFacts("e", 10, Optional.of("one"));
        StoreFacts answer = new StoreFacts("e", 10, Optional.of("two")); // rewound by one, then advanced
        assertThat(StoreLoss.decide(Optional.of(kept.advanced()), Optional.of(answer)))
                .isEqualTo(new StoreChange.Rewound(1));
        assertThat(StoreLoss.decide(Optional.of(kept.advanced()), Optional.of(kept.advanced())))
                .isEqualTo(new StoreChange.Same());
    }
}
