package dev.quiver.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProcessMemoryTest {

    @Test
    void readsTheProportionalSetSizeAndNotItsParts() {
        assertThat(ProcessMemory.pssKiB("7f00-7fff ---p [rollup]\nRss:  200 kB\nPss:   123 kB\nPss_Anon:  99 kB\n"))
                .isEqualTo(123);
    }

    @Test
    void readsProcessorTimeBehindANameWithSpacesAndBrackets() {
        assertThat(ProcessMemory.ticks("7 (a) b (c) S 1 7 7 0 -1 4194560 1 2 3 4 50 25 9 9 20 0 1 0 5 6 7"))
                .isEqualTo(75);
    }
}
