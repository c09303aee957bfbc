package dev.quiver.history.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;

class SqliteBackupTest {

    private static final Path FOLDER = Path.of("/var/lib/quiver");
    private static final long MIB = 1 << 20;

    @Test
    void aCopyMayFillAnotherVolume() {
        assertThat(SqliteBackup.lack(FOLDER, 10 * MIB, 10 * MIB, 0)).isEmpty();
        assertThat(SqliteBackup.lack(FOLDER, 10 * MIB + 1, 10 * MIB, 0))
                .contains("the volume of /var/lib/quiver has no room: the copy takes 11 MiB, and 10 MiB are free");
    }

    @Test
    void aCopyBesideTheDatabaseLeavesItsReserve() {
        assertThat(SqliteBackup.lack(FOLDER, 10 * MIB, 12 * MIB, 2 * MIB)).isEmpty();
        assertThat(SqliteBackup.lack(FOLDER, 10 * MIB, 12 * MIB, 3 * MIB).orElseThrow())
                .endsWith("12 MiB are free, of which 3 MiB are kept for the database");
        assertThat(SqliteBackup.lack(FOLDER, 1, 2 * MIB, 3 * MIB)).isPresent();
    }
}
