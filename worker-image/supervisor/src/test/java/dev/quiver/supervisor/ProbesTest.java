package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.quiver.http.Answer;
import dev.quiver.supervisor.engine.DrainState;
import dev.quiver.supervisor.engine.EngineStatus;

class ProbesTest {

    private static EngineStatus status(
            Optional<String> session, Optional<String> store, DrainState drain, Optional<String> violation) {
        return new EngineStatus(
                session,
                session.isPresent() ? Optional.empty() : Optional.of("pool specs is not known in Redis yet"),
                Optional.empty(),
                store,
                drain,
                3,
                1,
                0,
                0,
                0,
                Optional.empty(),
                violation,
                Optional.empty());
    }

    @Test
    void isReadyWithASessionAndAnAgent() {
        Answer answer = Probes.ready(status(Optional.of("s1"), Optional.empty(), DrainState.SERVING, Optional.empty()));
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text())
                .contains("a session is held", "1 busy", "3 free")
                .doesNotContain("s1");
    }

    @Test
    void saysEverythingThatIsMissing() {
        Answer answer = Probes.ready(
                status(Optional.empty(), Optional.of("no answer in 5 s"), DrainState.DRAINING, Optional.empty()));
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.text())
                .contains("Redis: no answer in 5 s", "session: pool specs is not known", "drain: DRAINING");
    }

    @Test
    void isNotLiveAfterAViolationAndSaysWhich() {
        EngineStatus broken = status(
                Optional.of("s1"), Optional.empty(), DrainState.SERVING, Optional.of("WORDS in slot 2: ran backwards"));
        assertThat(Probes.live(broken).status()).isEqualTo(503);
        assertThat(Probes.live(broken).text()).contains("WORDS in slot 2");
    }

    @Test
    void livesWithoutRedis() {
        EngineStatus away =
                status(Optional.empty(), Optional.of("connection refused"), DrainState.SERVING, Optional.empty());
        assertThat(Probes.live(away).status()).isEqualTo(200);
    }
}
