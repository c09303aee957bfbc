package dev.quiver.supervisor.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

class WakeTokenTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final WakeToken token = new WakeToken(0);

    @Test
    void goesOnOnlyWhenItWasTaken() {
        assertThat(token.goesOn(0)).isFalse();
        token.taken();
        assertThat(token.goesOn(0)).isTrue();
        token.used();
        assertThat(token.goesOn(0)).isFalse();
    }

    @Test
    void restsUnlessItBringsNews() {
        token.taken();
        token.wentOn(0, Duration.ofSeconds(1));
        token.taken();
        assertThat(token.goesOn(SECOND - 1)).isFalse();
        assertThat(token.goesOn(SECOND)).isTrue();
        token.foundForOthers();
        assertThat(token.goesOn(1)).isTrue();
        token.taken();
        assertThat(token.goesOn(1)).as("news of the time before").isFalse();
    }
}
