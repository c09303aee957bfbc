package dev.quiver.lifecycle.cron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CronTimesTest {

    private static final List<String> ZONES =
            List.of("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Etc/UTC");

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final int EXPRESSIONS = 200;
    private static final int FOLLOWED = 12;

    private static List<Instant> times(String cron, String zone, Instant from, int count) {
        CronTimes times = CronTimes.of(cron, zone);
        List<Instant> all = new ArrayList<>();
        Instant at = from;
        for (int i = 0; i < count; i++) {
            at = times.after(at).orElseThrow();
            all.add(at);
        }
        return all;
    }

    private static String local(String cron, String zone, String from, int count) {
        return String.join(
                " ",
                times(cron, zone, Instant.parse(from), count).stream()
                        .map(time -> time.atZone(ZoneId.of(zone)).toLocalDateTime() + "")
                        .toList());
    }

    private static ExecutionTime library(String cron) {
        return ExecutionTime.forCron(
                new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX)).parse(cron));
    }

    /** The next three changes of the clock, as far as there are any. */
    private static List<ZoneOffsetTransition> changes(ZoneId zone) {
        List<ZoneOffsetTransition> all = new ArrayList<>();
        ZoneOffsetTransition change = zone.getRules().nextTransition(START);
        while (change != null && all.size() < 3) {
            all.add(change);
            change = zone.getRules().nextTransition(change.getInstant());
        }
        return all;
    }

    /** The library is asked in the zone itself. */
    private static List<Instant> expected(ExecutionTime cron, ZoneId zone, Instant from, Instant to) {
        return Stream.iterate(
                        next(cron, from.atZone(zone)), it -> it.toInstant().isBefore(to), it -> next(cron, it))
                .map(ZonedDateTime::toInstant)
                .toList();
    }

    private static ZonedDateTime next(ExecutionTime cron, ZonedDateTime at) {
        return cron.nextExecution(at).orElseThrow();
    }

    private static List<Instant> times(String cron, String zone, Instant from, Instant to) {
        CronTimes times = CronTimes.of(cron, zone);
        return Stream.iterate(
                        times.after(from).orElseThrow(),
                        to::isAfter,
                        it -> times.after(it).orElseThrow())
                .toList();
    }

    /** Differences from the library, each with its reason. */
    private enum Difference {
        /** A nightly run is one run. The library, like a CronJob, begins a second one for lists of minutes. */
        FIXED_TIME_COMES_ONCE,
        /** A schedule of every other hour runs each time the clock shows that hour, as in a CronJob. The library: once. */
        WILD_TIME_COMES_TWICE,
        /** Where the clock jumps into the middle of an hour, the library leaves out the rest of that hour. */
        REST_OF_THE_HOUR_COMES;

        static Optional<Difference> of(String cron, ZoneOffsetTransition change, ZonedDateTime time, boolean ours) {
            String[] fields = cron.split(" ");
            boolean wild = fields[0].contains("*") || fields[1].contains("*");
            boolean second = !time.equals(time.withEarlierOffsetAtOverlap());
            LocalDateTime after = change.getDateTimeAfter();
            boolean rest = change.isGap()
                    && after.getMinute() > 0
                    && time.toLocalDateTime().truncatedTo(ChronoUnit.HOURS).equals(after.truncatedTo(ChronoUnit.HOURS));
            if (second) {
                return wild == ours
                        ? Optional.of(wild ? WILD_TIME_COMES_TWICE : FIXED_TIME_COMES_ONCE)
                        : Optional.empty();
            }
            return Optional.of(REST_OF_THE_HOUR_COMES).filter(_ -> rest && ours);
        }
    }

    static Stream<String> expressions() {
        Random random = new Random(20260101);
        return IntStream.range(0, EXPRESSIONS).mapToObj(_ -> expression(random));
    }

    private static String expression(Random random) {
        String minute = pick(random, "*", "*/15", "0", "30", "59", "*/7", "10-50/20", "0,30", "5/20");
        String hour = pick(random, "*", "*", "0", "1", "2", "3", "1-3", "*/2", "2,14", "8-18", "0-23/5");
        String day = pick(random, "*", "*", "1", "31", "29", "15,25-31", "*/10", "1-7", "30");
        String month = pick(random, "*", "*", "*", "mar", "3,10", "OCT-DEC", "2", "4,10,11", "*/3");
        String weekday = pick(random, "*", "*", "sun", "0", "MON-fri", "0,6", "1-5/2", "*/3");
        boolean never = weekday.equals("*") && (day.equals("30") || day.equals("31")) && month.equals("2");
        return String.join(" ", minute, hour, never ? "28" : day, month, weekday);
    }

    private static String pick(Random random, String... from) {
        return from[random.nextInt(from.length)];
    }

    @ParameterizedTest
    @MethodSource("expressions")
    void equalsThoseOfALibrary(String cron) {
        for (String name : ZONES) {
            Instant end = changes(ZoneId.of(name)).stream()
                    .findFirst()
                    .map(ZoneOffsetTransition::getInstant)
                    .orElse(Instant.MAX);
            ZonedDateTime at = START.atZone(ZoneId.of(name));
            for (Instant time : times(cron, name, START, FOLLOWED)) {
                at = next(library(cron), at);
                if (at.toInstant().isBefore(end)) {
                    assertThat(time).as("%s in %s", cron, name).isEqualTo(at.toInstant());
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("expressions")
    void equalsThoseOfALibraryOverChangesOfSummerTime(String cron) {
        for (String name : ZONES) {
            ZoneId zone = ZoneId.of(name);
            for (ZoneOffsetTransition change : changes(zone)) {
                Instant from = change.getInstant().minus(Duration.ofHours(3));
                Instant to = change.getInstant().plus(Duration.ofHours(5));
                List<Instant> ours = times(cron, name, from, to);
                List<Instant> theirs = expected(library(cron), zone, from, to);
                assertThat(Stream.concat(ours.stream(), theirs.stream())
                                .filter(time -> ours.contains(time) != theirs.contains(time))
                                .filter(time -> Difference.of(cron, change, time.atZone(zone), ours.contains(time))
                                        .isEmpty()))
                        .as("%s in %s over %s: %s and not %s", cron, name, change, theirs, ours)
                        .isEmpty();
            }
        }
    }

    @Test
    void skippedTimeDoesNotRunAndDoubledTimeRunsOnceWhereItIsFixed() {
        assertThat(local("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z", 3))
                .as("there is no 2:30 on March 29")
                .isEqualTo("2026-03-28T02:30 2026-03-30T02:30 2026-03-31T02:30");
        assertThat(times("30 2 * * *", "Europe/Berlin", Instant.parse("2026-10-24T12:00:00Z"), 2))
                .as("2:30 comes twice on October 25")
                .containsExactly(Instant.parse("2026-10-25T00:30:00Z"), Instant.parse("2026-10-26T01:30:00Z"));
        assertThat(times("*/30 * * * *", "Europe/Berlin", Instant.parse("2026-10-25T00:00:00Z"), 3))
                .as("no hour without a run")
                .containsExactly(
                        Instant.parse("2026-10-25T00:30:00Z"),
                        Instant.parse("2026-10-25T01:00:00Z"),
                        Instant.parse("2026-10-25T01:30:00Z"));
        assertThat(times("30 2 * * *", "Europe/Berlin", Instant.parse("2026-10-25T01:10:00Z"), 1))
                .as("asked within the second pass")
                .containsExactly(Instant.parse("2026-10-26T01:30:00Z"));
        assertThat(local("*/15 * * * *", "Australia/Lord_Howe", "2026-10-03T15:00:00Z", 4))
                .as("the clock goes from 2:00 to 2:30")
                .isEqualTo("2026-10-04T01:45 2026-10-04T02:30 2026-10-04T02:45 2026-10-04T03:00");
        assertThat(local("0 0 30 12 *", "Pacific/Apia", "2010-06-01T00:00:00Z", 2))
                .as("a whole day that was left out")
                .isEqualTo("2010-12-30T00:00 2012-12-30T00:00");
    }

    @Test
    void eitherDayIsEnoughWhereBothAreRestricted() {
        assertThat(local("0 0 13 * fri", "Etc/UTC", "2026-01-01T00:00:00Z", 5))
                .isEqualTo("2026-01-02T00:00 2026-01-09T00:00 2026-01-13T00:00 2026-01-16T00:00 2026-01-23T00:00");
        assertThat(local("0 0 ? * fri", "Etc/UTC", "2026-01-01T00:00:00Z", 2))
                .isEqualTo("2026-01-02T00:00 2026-01-09T00:00");
        assertThat(local("0 0 */1 * fri", "Etc/UTC", "2026-01-01T00:00:00Z", 2))
                .as("steps of one are all")
                .isEqualTo("2026-01-02T00:00 2026-01-09T00:00");
        assertThat(local("0 0 1 * 5/2", "Etc/UTC", "2026-01-01T00:00:00Z", 2))
                .as("the week ends with 6")
                .isEqualTo("2026-01-02T00:00 2026-01-09T00:00");
    }

    @Test
    void rareDaysAreFound() {
        assertThat(local("0 0 29 2 *", "Etc/UTC", "2026-01-01T00:00:00Z", 2))
                .isEqualTo("2028-02-29T00:00 2032-02-29T00:00");
        assertThat(local("59 23 29 2 ?", "Etc/UTC", "2096-02-29T23:59:00Z", 1)).isEqualTo("2104-02-29T23:59");
        assertThat(local("*/70 * * * *", "Etc/UTC", "2026-01-01T00:00:00Z", 2))
                .isEqualTo("2026-01-01T01:00 2026-01-01T02:00");
    }

    @ParameterizedTest
    @CsvSource({
        "@yearly, 2027-01-01T00:00",
        "@annually, 2027-01-01T00:00",
        "@monthly, 2026-02-01T00:00",
        "@Weekly, 2026-01-18T00:00",
        "@daily, 2026-01-16T00:00",
        "@midnight, 2026-01-16T00:00",
        "@hourly, 2026-01-15T11:00"
    })
    void wordsStandForExpressions(String word, String next) {
        assertThat(local(word, "Etc/UTC", "2026-01-15T10:00:00Z", 1)).isEqualTo(next);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0 0 30 2 *", "0 0 31 4,6,9,11 ?", "20-10 * * * *", "* * * *", "* * * * 7", "60 * * * *", "*/0 * * * *",
                "@reboot", "a * * * *", "1-2-3 * * * *", "1/2/3 * * * *", "", ",1 * * * *", "99999999999 * * * *"
            })
    void whatNeverComesOrMakesNoSenseIsRefused(String cron) {
        assertThatThrownBy(() -> CronTimes.of(cron, "Etc/UTC"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cron");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Europe/Atlantis", "UTC+5", "Local", "EU", "EST", "MST", "HST"})
    void unknownZoneIsRefused(String zone) {
        assertThatThrownBy(() -> CronTimes.of("@daily", zone))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("time zone \"" + zone + "\" is unknown");
    }

    @Test
    void timesThatPassedAreCountedUpToABound() {
        CronTimes minutes = CronTimes.of("* * * * *", "Europe/Berlin");
        Instant first = Instant.parse("2026-01-01T00:00:00Z");
        assertThat(minutes.due(first, first.plusSeconds(30), 10))
                .isEqualTo(new CronTimes.Due(1, first, Optional.of(first.plusSeconds(60))));
        assertThat(minutes.due(first, first.plusSeconds(600), 100))
                .isEqualTo(new CronTimes.Due(11, first.plusSeconds(600), Optional.of(first.plusSeconds(660))));
        Instant later = Instant.parse("2036-01-01T00:00:30Z");
        assertThat(minutes.due(first, later, 10_000))
                .isEqualTo(new CronTimes.Due(10_000, later.minusSeconds(30), Optional.of(later.plusSeconds(30))));
        CronTimes january = CronTimes.of("* * * 1 *", "Etc/UTC");
        assertThat(january.due(first, Instant.parse("2030-07-01T00:00:00Z"), 10_000))
                .isEqualTo(new CronTimes.Due(
                        10_000,
                        Instant.parse("2030-01-31T23:59:00Z"),
                        Optional.of(Instant.parse("2031-01-01T00:00:00Z"))));
    }
}
