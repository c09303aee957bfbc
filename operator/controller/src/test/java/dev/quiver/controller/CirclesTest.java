package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.Circles;

/** Few classes need each other: what cannot be taken apart cannot be read apart. */
class CirclesTest {

    private static final int MOST = 4;

    @Test
    void noCircleIsLargerThanAHandful() throws IOException {
        assertThat(Circles.of(QuiverOperator.class, MOST)).isEmpty();
    }

    @Test
    void packagesStandInAnOrder() throws IOException {
        assertThat(Circles.ofPackages(QuiverOperator.class)).isEmpty();
    }
}
