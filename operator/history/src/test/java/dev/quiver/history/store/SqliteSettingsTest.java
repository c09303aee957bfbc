package dev.quiver.history.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SqliteSettingsTest {

    private static final long GB = 1_000_000_000L;

    /** The size of the disk, and what others have on it, does not count. */
    @Test
    void theFileMayTakeWhatIsFreeButForAMargin() {
        assertThat(SqliteSettings.room(0, 47 * GB)).isEqualTo(47 * GB - SqliteSettings.MARGIN_BYTES);
        assertThat(SqliteSettings.room(GB, GB)).isEqualTo(2 * GB - SqliteSettings.MARGIN_BYTES);
    }

    @Test
    void aFullVolumeLeavesRoomForTheTablesAlone() {
        assertThat(SqliteSettings.room(0, 0)).isEqualTo(64 * 8192);
    }
}
