package dev.quiver.lifecycle.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PackPlaceTest {

    @Test
    void aMemberThatSharesItsPackHasEveryByte() {
        PackPlace place = new PackPlace("s/3", 70, PackBody.MEMBER_BYTES);
        assertThat(place.member(0)).contains(new PackPlace.Member("s/3", 70, 0));
        assertThat(place.member(PackBody.MEMBER_BYTES - 1)).contains(new PackPlace.Member("s/3", 70, 0));
    }

    @Test
    void packsOfOneWholeHaveConsecutiveNumbersAndTheRowNamesTheLast() {
        long length = 2L * PackPlace.SERIES_BYTES + 1;
        PackPlace place = PackPlace.series("a-b", 5, length);
        assertThat(place.pack()).isEqualTo("a-b/7");
        assertThat(place.member(0)).contains(new PackPlace.Member("a-b/5", 0, 0));
        assertThat(place.member(PackBody.MEMBER_BYTES))
                .contains(new PackPlace.Member("a-b/5", PackBody.MEMBER_BYTES, PackBody.MEMBER_BYTES));
        assertThat(place.member(PackPlace.SERIES_BYTES - 1))
                .contains(new PackPlace.Member("a-b/5", 1_835_008, 1_835_008));
        assertThat(place.member(PackPlace.SERIES_BYTES))
                .contains(new PackPlace.Member("a-b/6", 0, PackPlace.SERIES_BYTES));
        assertThat(place.member(length - 1)).contains(new PackPlace.Member("a-b/7", 0, length - 1));
    }

    @Test
    void exactlyFullPacksNeedNoOther() {
        assertThat(PackPlace.packs(PackPlace.SERIES_BYTES)).isEqualTo(1);
        assertThat(PackPlace.packs(PackPlace.SERIES_BYTES + 1L)).isEqualTo(2);
    }

    @Test
    void aForgedIdHasNoMember() {
        assertThat(new PackPlace("pack", 0, 1 << 20).member(0)).isEmpty();
        assertThat(new PackPlace("s/x", 0, 1 << 20).member(0)).isEmpty();
        assertThat(PackPlace.nowhere(9).isNowhere()).isTrue();
    }
}
