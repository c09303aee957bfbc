package dev.quiver.lifecycle.cron;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The times of a cron expression in a time zone, as a CronJob reads it: five fields, or a word. Where both the day of the
 * month and the weekday are restricted, either is enough. Local times that a change of the clock skips do not come. Those
 * that it doubles come once, the first time, where minute and hour are fixed: a nightly run is one run. With a {@code *} in
 * one of them they come both times: what runs every few minutes is not silent for an hour. Immutable, no I/O.
 */
public final class CronTimes {

    private static final Map<String, String> WORDS = Map.of(
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *",
            "@monthly", "0 0 1 * *",
            "@weekly", "0 0 * * 0",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@hourly", "0 * * * *");

    private static final List<String> MONTHS =
            List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");

    private static final List<String> WEEKDAYS = List.of("sun", "mon", "tue", "wed", "thu", "fri", "sat");

    /** The longest wait for a day is eight years: from a February 29 to the next, over the end of a century. */
    private static final int YEARS = 9;

    /** Local times that are left out at most, of a clock that is put back by two days, and changes of the clock. */
    private static final int STEPS = 2 * 24 * 60 + 100;

    /**
     * The numbers that a field has as bits.
     *
     * @param all whether it stands for all as {@code *} does
     * @param wild whether it has a {@code *}, with or without a step
     */
    private record Field(long bits, boolean all, boolean wild) {

        boolean has(int number) {
            return (bits >>> number & 1) == 1;
        }

        /** The first number from this one on; 64 where there is none. */
        int from(int number) {
            return number > 63 ? 64 : number + Long.numberOfTrailingZeros(bits >>> number);
        }
    }

    private final Field minutes;
    private final Field hours;
    private final Field days;
    private final Field months;
    private final Field weekdays;
    private final ZoneId zone;
    /** Whether it also comes in the second pass of an hour that the clock goes through twice. */
    private final boolean repeats;

    private CronTimes(String[] fields, ZoneId zone) {
        this.minutes = field("minute", fields[0], 0, 59, List.of());
        this.hours = field("hour", fields[1], 0, 23, List.of());
        this.days = field("day of the month", fields[2], 1, 31, List.of());
        this.months = field("month", fields[3], 1, 12, MONTHS);
        this.weekdays = field("day of the week", fields[4], 0, 6, WEEKDAYS);
        this.zone = zone;
        this.repeats = minutes.wild() || hours.wild();
    }

    /**
     * The times of an expression.
     *
     * @param zone as in the IANA database
     * @throws IllegalArgumentException naming the fault: also for times that never come
     */
    public static CronTimes of(String cron, String zone) {
        String text = cron.strip().toLowerCase(Locale.ROOT);
        String[] fields = WORDS.getOrDefault(text, text).split(" +");
        if (fields.length != 5) {
            throw new IllegalArgumentException("cron \"" + cron + "\" has " + fields.length + " fields, 5 are needed");
        }
        CronTimes times = new CronTimes(fields, zoneOf(zone));
        if (times.local(LocalDate.of(2000, 1, 1).atStartOfDay()).isEmpty()) {
            throw new IllegalArgumentException("cron \"" + cron + "\" never comes: there is no such day");
        }
        return times;
    }

    private static ZoneId zoneOf(String name) {
        try {
            if (ZoneId.getAvailableZoneIds().contains(name)) {
                return ZoneId.of(name);
            }
        } catch (DateTimeException unreadable) {
            throw new IllegalArgumentException("time zone \"" + name + "\" cannot be read", unreadable);
        }
        throw new IllegalArgumentException("time zone \"" + name + "\" is unknown");
    }

    /** The first time after an instant; absent in the last years that there are. */
    public Optional<Instant> after(Instant instant) {
        ZoneRules rules = zone.getRules();
        ZoneOffset offset = rules.getOffset(instant);
        LocalDateTime at = LocalDateTime.ofEpochSecond(instant.getEpochSecond(), 0, offset);
        ZoneOffsetTransition change = rules.nextTransition(instant);
        for (int i = 0; i <= STEPS; i++) {
            Optional<LocalDateTime> next = local(at);
            if (next.isEmpty()) {
                return Optional.empty();
            }
            Instant time = next.get().toInstant(offset);
            if (change != null && !time.isBefore(change.getInstant())) {
                offset = change.getOffsetAfter();
                at = change.getDateTimeAfter().minusNanos(1);
                change = rules.nextTransition(change.getInstant());
            } else if (repeats || !isSecond(rules, next.get(), offset)) {
                return Optional.of(time);
            } else {
                at = next.get();
            }
        }
        return Optional.empty();
    }

    /** Whether the clock showed this time before, with another offset. */
    private static boolean isSecond(ZoneRules rules, LocalDateTime time, ZoneOffset offset) {
        return !rules.getValidOffsets(time).getFirst().equals(offset);
    }

    /**
     * The times from one of them up to a moment.
     *
     * @param first at or before the moment
     * @param most that are counted
     */
    public Due due(Instant first, Instant moment, int most) {
        Instant last = first;
        long count = 1;
        Optional<Instant> next = after(first);
        while (next.filter(time -> !time.isAfter(moment)).isPresent()) {
            last = next.get();
            if (++count > most) {
                last = latest(last, moment);
                return new Due(most, last, after(last));
            }
            next = after(last);
        }
        return new Due(count, last, next);
    }

    /**
     * Times that have passed.
     *
     * @param count how many, as far as they are counted
     * @param last the latest
     * @param next the one after it
     */
    public record Due(long count, Instant last, Optional<Instant> next) {}

    /** Halves the stretch in which the last time lies. */
    private Instant latest(Instant from, Instant to) {
        Instant last = from;
        Instant end = to;
        while (end.getEpochSecond() - last.getEpochSecond() >= 60) {
            Instant middle = last.plusSeconds((end.getEpochSecond() - last.getEpochSecond()) / 2);
            Optional<Instant> next = after(middle).filter(time -> !time.isAfter(to));
            if (next.isPresent()) {
                last = next.get();
            } else {
                end = middle;
            }
        }
        return after(last).filter(time -> !time.isAfter(to)).orElse(last);
    }

    /** The first local time after another, whatever the clock does. */
    private Optional<LocalDateTime> local(LocalDateTime before) {
        LocalDateTime from = before.withSecond(0).withNano(0).plusMinutes(1);
        LocalDate day = from.toLocalDate();
        LocalDate end = day.plusYears(YEARS);
        int hour = from.getHour();
        int minute = from.getMinute();
        while (day.isBefore(end)) {
            if (!months.has(day.getMonthValue())) {
                day = YearMonth.from(day).plusMonths(1).atDay(1);
                hour = 0;
                minute = 0;
                continue;
            }
            if (isDay(day)) {
                int at = hours.from(hour);
                int then = minutes.from(at == hour ? minute : 0);
                if (then > 59) {
                    at = hours.from(at + 1);
                    then = minutes.from(0);
                }
                if (at < 24) {
                    return Optional.of(day.atTime(at, then));
                }
            }
            day = day.plusDays(1);
            hour = 0;
            minute = 0;
        }
        return Optional.empty();
    }

    private boolean isDay(LocalDate day) {
        boolean ofMonth = days.has(day.getDayOfMonth());
        boolean ofWeek = weekdays.has(day.getDayOfWeek().getValue() % 7);
        return days.all() || weekdays.all() ? ofMonth && ofWeek : ofMonth || ofWeek;
    }

    private static Field field(String name, String text, int least, int most, List<String> words) {
        long bits = 0;
        boolean all = false;
        boolean wild = false;
        for (String part : text.split(",", -1)) {
            String[] steps = part.split("/", -1);
            int step = steps.length > 1 ? number(name, steps[1], 1, Integer.MAX_VALUE, List.of()) : 1;
            boolean any = steps[0].equals("*") || steps[0].equals("?");
            String[] ends = any ? new String[] {""} : steps[0].split("-", -1);
            int from = any ? least : number(name, ends[0], least, most, words);
            int to = any || ends.length == 1 && steps.length > 1 ? most : from;
            if (ends.length > 1) {
                to = number(name, ends[1], least, most, words);
            }
            if (steps.length > 2 || ends.length > 2 || from > to) {
                throw new IllegalArgumentException("cron: " + name + " \"" + part + "\" is no range");
            }
            all |= any && step == 1;
            wild |= any;
            for (long i = from; i <= to; i += step) {
                bits |= 1L << i;
            }
        }
        return new Field(bits, all, wild);
    }

    private static int number(String name, String text, int least, int most, List<String> words) {
        int word = words.indexOf(text);
        try {
            int number = word >= 0 ? least + word : Integer.parseInt(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException none) {
            throw new IllegalArgumentException("cron: " + name + " \"" + text + "\" is no number", none);
        }
        throw new IllegalArgumentException("cron: " + name + " " + text + " is not within " + least + " and " + most);
    }
}
