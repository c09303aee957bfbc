package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HistoryRoomsTest {

    @Test
    void keyspacesShareTwoFifthsOfTheMemory() {
        HistoryRooms rooms = new HistoryRooms(true);
        rooms.memory(1_000_000_000);
        rooms.keyspaces(4);
        assertThat(rooms.each()).isEqualTo(100_000_000);
        rooms.keyspaces(0);
        assertThat(rooms.each()).isEqualTo(400_000_000);
    }

    @Test
    void manyKeyspacesHaveRoomForALittleEach() {
        HistoryRooms rooms = new HistoryRooms(true);
        rooms.memory(1_000_000);
        rooms.keyspaces(1000);
        assertThat(rooms.each()).isEqualTo(1 << 20);
    }

    @Test
    void aRedisWithoutABoundIsTakenForASmallOne() {
        HistoryRooms rooms = new HistoryRooms(true);
        rooms.memory(0);
        assertThat(rooms.each()).isEqualTo((512L << 20) / 5 * 2);
    }

    @Test
    void nothingIsRecordedWithoutHistory() {
        assertThat(new HistoryRooms(false).each()).isZero();
    }
}
