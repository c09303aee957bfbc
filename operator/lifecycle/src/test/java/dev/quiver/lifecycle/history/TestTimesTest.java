package dev.quiver.lifecycle.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Comparator;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;

class TestTimesTest {

    private static TestTimes read(TreeMap<Long, Integer> tests) {
        ByteBuffer answer = ByteBuffer.allocate(12 * tests.size()).order(ByteOrder.LITTLE_ENDIAN);
        tests.forEach((hash, millis) -> answer.putLong(hash).putInt(millis));
        return TestTimes.read(answer.array(), Optional.empty());
    }

    private static TreeMap<Long, Integer> tests() {
        return new TreeMap<>(Comparator.comparing(hash -> hash, Long::compareUnsigned));
    }

    @Test
    void eachTestIsFoundAndNoOther() {
        Random random = new Random(7);
        TreeMap<Long, Integer> tests = tests();
        for (int test = 1; test <= 20_000; test++) {
            tests.put(random.nextLong(), test);
        }
        TestTimes estimates = read(tests);
        assertThat(estimates.tests()).isEqualTo(20_000);
        tests.forEach((hash, millis) -> {
            assertThat(estimates.millis(hash)).isEqualTo((long) millis);
            assertThat(estimates.millis(hash + 1)).isZero();
        });
    }

    @Test
    void hashesAtBothEndsAndAllInOneCornerAreFound() {
        TreeMap<Long, Integer> tests = tests();
        tests.put(0L, 1);
        tests.put(-1L, 2);
        tests.put(Long.MIN_VALUE, -1);
        tests.put(Long.MIN_VALUE + 1, 4);
        TestTimes estimates = read(tests);
        assertThat(estimates.millis(0)).isEqualTo(1);
        assertThat(estimates.millis(-1)).isEqualTo(2);
        assertThat(estimates.millis(Long.MIN_VALUE)).as("without a sign").isEqualTo(0xffff_ffffL);
        assertThat(estimates.millis(Long.MIN_VALUE + 1)).isEqualTo(4);
        assertThat(estimates.millis(Long.MAX_VALUE)).isZero();
        assertThat(read(tests()).millis(5)).isZero();
    }

    @Test
    void anythingElseIsRefusedInWords() {
        assertThatThrownBy(() -> TestTimes.read(new byte[13], Optional.empty()))
                .hasMessage("13 bytes, not 12 for each of at most " + TestNames.MOST + " tests");
        assertThatThrownBy(() -> TestTimes.read(new byte[24], Optional.empty()))
                .hasMessage("test 1 is not behind the one before it");
    }
}
