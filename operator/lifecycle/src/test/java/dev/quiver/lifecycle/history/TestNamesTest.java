package dev.quiver.lifecycle.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import org.junit.jupiter.api.Test;

class TestNamesTest {

    @Test
    void theSecondOfANameIsNumbered() {
        TestNames names = new TestNames(5);
        assertThat(names.next("a")).isEqualTo("a");
        assertThat(names.next("b")).isEqualTo("b");
        assertThat(names.next("a")).isEqualTo("a#2");
        assertThat(names.next("")).isEmpty();
        assertThat(names.next("a")).isEqualTo("a#3");
        assertThat(names.next("x\0y")).isEqualTo("x\ufffdy");
    }

    @Test
    void countsAsAMapDoes() {
        Random random = new Random(27);
        Map<String, Integer> seen = new HashMap<>();
        TestNames names = new TestNames(20_000);
        for (int i = 0; i < 20_000; i++) {
            String name = "test-" + random.nextInt(12_000);
            int times = seen.merge(name, 1, Integer::sum);
            assertThat(names.next(name)).isEqualTo(times == 1 ? name : name + "#" + times);
        }
    }

    @Test
    void theNextHashIsThatOfTheNextName() {
        Random random = new Random(28);
        TestNames names = new TestNames(2_000), hashes = new TestNames(2_000);
        for (int i = 0; i < 2_000; i++) {
            String name = "test\u00e9" + (random.nextBoolean() ? "-" : "\0") + random.nextInt(500);
            assertThat(hashes.nextHash(name)).isEqualTo(TestNames.hash(names.next(name)));
        }
    }

    @Test
    void moreNamesThanItHasRoomForAreTheirOwn() {
        for (int most : new int[] {0, 1, 2, 3, 7, 8, 9}) {
            TestNames names = new TestNames(most);
            for (int i = 0; i < 100; i++) {
                assertThat(names.next("n" + i)).isEqualTo("n" + i);
            }
            assertThat(names.next("n0")).isEqualTo(most == 0 ? "n0" : "n0#2");
        }
        assertThatThrownBy(() -> new TestNames(TestNames.MOST + 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new TestNames(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void hashesAreThoseOfTheRecord() {
        assertThat(TestNames.hash("")).isEqualTo(0xefd01f60ba992926L);
        Set<Long> hashes = new HashSet<>();
        for (int i = 0; i < 100_000; i++) {
            hashes.add(TestNames.hash("spec/" + i));
        }
        assertThat(hashes).hasSize(100_000);
    }
}
