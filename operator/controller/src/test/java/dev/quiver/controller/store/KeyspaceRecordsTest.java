package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.keyspace.Keyspace;

class KeyspaceRecordsTest {

    @Test
    void keyspacesAreKeptUnderKeysThatAConfigMapTakes() {
        for (Keyspace keyspace : new Keyspace[] {Keyspace.ofNamespace("team-a"), Keyspace.of("team-a", "nightly")}) {
            String key = RecordText.key(keyspace);
            assertThat(key).matches("[-._a-zA-Z0-9]+");
            assertThat(RecordText.keyspace(key)).isEqualTo(keyspace);
        }
    }
}
