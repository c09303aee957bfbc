package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalInt;

import org.junit.jupiter.api.Test;

class RecordRoomTest {

    private final RecordRoom room = new RecordRoom();

    private void fill(int shard) {
        for (int i = 0; i < RecordRoom.SHARD_RECORDS; i++) {
            room.found("of-" + shard + "-" + i, shard);
        }
    }

    @Test
    void aFullConfigMapIsFollowedByTheNext() {
        fill(0);
        assertThat(room.place("new")).hasValue(1);
        assertThat(room.place("new")).as("it stays").hasValue(1);
        assertThat(room.isIn("new", 1)).isTrue();
        assertThat(room.free("of-0-7")).hasValue(0);
        assertThat(room.place("newer")).hasValue(0);
        assertThat(room.place("new")).hasValue(1);
    }

    @Test
    void nothingIsPlacedWhereAllAreFull() {
        for (int shard = 0; shard < RecordRoom.SHARDS; shard++) {
            assertThat(room.admits("team")).isTrue();
            fill(shard);
        }
        assertThat(room.admits("team")).isFalse();
        assertThat(room.place("new")).isEqualTo(OptionalInt.empty());
        assertThat(room.place("of-3-3")).as("one that has a place").hasValue(3);
    }

    @Test
    void aNamespaceHasABoundOfItsOwn() {
        for (int i = 0; i < RecordRoom.NAMESPACE_RECORDS; i++) {
            assertThat(room.admits("team")).isTrue();
            room.add("team");
        }
        assertThat(room.admits("team")).isFalse();
        assertThat(room.admits("other")).isTrue();
        room.remove("team");
        assertThat(room.admits("team")).isTrue();
    }

    @Test
    void oneThatWasReadTwiceCountsOnce() {
        room.found("twice", 0);
        room.found("twice", 1);
        assertThat(room.isIn("twice", 0)).isTrue();
        assertThat(room.free("twice")).hasValue(0);
        assertThat(room.free("twice")).isEmpty();
    }
}
