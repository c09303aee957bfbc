package dev.quiver.controller.pool.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.crds.v1alpha1.ScheduleProbe;

/** Office hours as a resource. */
class ProbeTimesTest {

    private static final int TEN_HOURS = 36_000;

    @ParameterizedTest
    @CsvSource({
        "2026-03-02T06:59:59Z,false", // Monday, 7:59:59 in Berlin
        "2026-03-02T07:00:00Z,true",
        "2026-03-02T16:59:59Z,true",
        "2026-03-02T17:00:00Z,false",
        "2026-03-01T09:00:00Z,false", // Sunday
        "2026-07-01T06:00:00Z,true", // 8:00 in Berlin's summer
        "2026-07-01T05:59:59Z,false"
    })
    void isThereForSoLongFromEachTimeOn(Instant now, boolean there) {
        ScheduleProbe office = new ScheduleProbe("0 8 * * mon-fri", TEN_HOURS, "Europe/Berlin");
        assertThat(ProbeTimes.of(office).at(now).there()).isEqualTo(there);
    }

    @Test
    void timesThatOverlapLeaveNoGap() {
        ScheduleProbe always = new ScheduleProbe("@hourly", 7200, null);
        assertThat(ProbeTimes.of(always)
                        .at(Instant.parse("2026-03-02T06:59:59Z"))
                        .there())
                .isTrue();
    }

    /** As with a Task's schedule: a time that the clock skips does not come. */
    @Test
    void aTimeThatTheClockSkipsOpensNothing() {
        ProbeTimes night = ProbeTimes.of(new ScheduleProbe("30 2 * * *", 3600, "Europe/Berlin"));
        assertThat(night.at(Instant.parse("2026-03-28T01:45:00Z")).there()).isTrue();
        assertThat(night.at(Instant.parse("2026-03-29T00:45:00Z")).there()).isFalse();
        assertThat(night.at(Instant.parse("2026-03-29T01:15:00Z")).there()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"0 8 * * *,Mars/Olympus,time zone", "0 0 30 2 *,Etc/UTC,never comes"})
    void whatCannotBeReadIsMissingAndSaysSo(String cron, String zone, String words) {
        assertThat(ProbeTimes.of(new ScheduleProbe(cron, 60, zone)).at(Instant.EPOCH))
                .returns(false, ProbeRound.Verdict::there)
                .extracting(ProbeRound.Verdict::why)
                .asString()
                .contains(words);
    }
}
