package dev.quiver.history.persist;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.lifecycle.keyspace.Keyspace;

/** Mounted records of the operator. */
class KeyspaceFolderIT {

    @TempDir
    private Path folder;

    @Test
    void readsTheKeyspacesAndPassesOverAllElse() throws Exception {
        for (String name : List.of("team-a", "team-b_nightly", "left.team-a.pool", "..data", "UPPER", "a_b_c")) {
            Files.writeString(folder.resolve(name), "epoch 17");
        }
        KeyspaceFolder keyspaces = new KeyspaceFolder(List.of(folder, folder.resolve("missing")), Clock.systemUTC());
        assertThat(keyspaces.get()).containsExactly(Keyspace.ofNamespace("team-a"), Keyspace.of("team-b", "nightly"));
    }
}
