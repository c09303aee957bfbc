package dev.quiver.crds.v1alpha1;

/**
 * The form of a cron expression as CronJob has it: five fields, or a word such as {@code @daily}. Whether such a day
 * ever comes (February 30) is seen when the next one is computed.
 */
final class CronExpression {
    private static final String MINUTE = "[0-5]?[0-9]";
    private static final String HOUR = "([01]?[0-9]|2[0-3])";
    private static final String DAY = "(0?[1-9]|[12][0-9]|3[01])";
    private static final String MONTH = "(0?[1-9]|1[0-2]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)";
    private static final String WEEKDAY = "([0-6]|sun|mon|tue|wed|thu|fri|sat)";

    /** All, one or a range, each in steps or not; and more of them after commas. */
    private static final String TO = "(-";

    private static final String STEP = ")?)(/[1-9][0-9]?)?";
    private static final String MINUTES = "([*?]|" + MINUTE + TO + MINUTE + STEP;
    private static final String HOURS = "([*?]|" + HOUR + TO + HOUR + STEP;
    private static final String DAYS = "([*?]|" + DAY + TO + DAY + STEP;
    private static final String MONTHS = "([*?]|" + MONTH + TO + MONTH + STEP;
    private static final String WEEKDAYS = "([*?]|" + WEEKDAY + TO + WEEKDAY + STEP;

    /** True of a string that has the form. */
    static final String IS_CRON = "self.matches('(?i)^(@(yearly|annually|monthly|weekly|daily|midnight|hourly)|"
            + MINUTES + "(," + MINUTES + ")* +"
            + HOURS + "(," + HOURS + ")* +"
            + DAYS + "(," + DAYS + ")* +"
            + MONTHS + "(," + MONTHS + ")* +"
            + WEEKDAYS + "(," + WEEKDAYS + ")*)$')";

    /** The meaning of {@link #IS_CRON}. */
    static final String CRON =
            "must be five fields (minute 0-59, hour 0-23, day 1-31, month 1-12 or jan-dec, weekday 0-6 or sun-sat) such"
                    + " as */5 8-18 * * mon-fri, or @hourly, @daily, @weekly, @monthly or @yearly; the time zone goes"
                    + " into timeZone";

    /** True of a string that has the form of a time zone's name. */
    static final String IS_ZONE = "self != 'Local' && self.matches('^[A-Za-z][-+_A-Za-z0-9]*(/[-+_A-Za-z0-9]+)*$')";

    /** The meaning of {@link #IS_ZONE}. */
    static final String ZONE = "must be the name of a time zone of the IANA database, such as Europe/Berlin or Etc/UTC";

    private CronExpression() {}
}
