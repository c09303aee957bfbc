package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Scenario;

/** The answer to a person who asks helm whether the installation works. */
@Scenario
class HelmTestE2E {

    @Test
    void eachPartAnswersAndTenTasksRunAndNothingOfThemStays(Installation quiver) {
        String said = quiver.test();
        assertThat(said.lines().filter(line -> line.startsWith("ok ") || line.startsWith("FAILED")))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("ok      API server: it serves mapreducejobs, qtasks,"),
                        line -> assertThat(line).startsWith("ok      Redis: standalone redis://quiver-redis."),
                        line -> assertThat(line).isEqualTo("ok      history: it answers"),
                        line -> assertThat(line).contains("/quiver-test succeeded, 10/10, within "),
                        line -> assertThat(line).isEqualTo("ok      record: the run is on record"));
        assertThat(quiver.kubectl().run("get", "tset,serviceaccount,role,rolebinding", "--output=name"))
                .doesNotContain("/quiver-test");
    }
}
