package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.Circles;
import dev.quiver.sdk.Handlers;
import dev.quiver.slots.Geometry;

/** Few classes need each other: what cannot be taken apart cannot be read apart. */
class CirclesTest {

    private static final int MOST = 4;

    @Test
    void noCircleIsLargerThanAHandful() throws IOException {
        assertThat(Circles.of(Main.class, MOST)).isEmpty();
    }

    @Test
    void norIsOneOfTheSdk() throws IOException {
        assertThat(Circles.of(Handlers.class, MOST)).isEmpty();
    }

    @Test
    void packagesStandInAnOrder() throws IOException {
        for (Class<?> module : List.of(Main.class, Handlers.class, Geometry.class)) {
            assertThat(Circles.ofPackages(module)).as(module.getName()).isEmpty();
        }
    }
}
