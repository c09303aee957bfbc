package dev.quiver.supervisor.execution;

import dev.quiver.lifecycle.history.HistoryBounds;

/** The time of a case, which programs write in seconds, some of them as people of their country do. Pure. */
final class JunitTime {

    private static final int LONGEST = 32;

    private JunitTime() {}

    /**
     * Milliseconds; 0 where there is no time.
     *
     * @param seconds such as 0.012, 0,012 or 1,234.5; what is no number at all counts as none
     */
    static long millis(String seconds) {
        if (seconds == null || seconds.length() > LONGEST) {
            return 0;
        }
        try {
            double value = Double.parseDouble(decimal(seconds.strip())) * 1000;
            return value > 0 && value <= HistoryBounds.NUMBER ? Math.round(value) : 0;
        } catch (NumberFormatException none) {
            return 0;
        }
    }

    /** The last mark stands before the fraction, unless it is a comma of several: those part thousands. */
    private static String decimal(String number) {
        int comma = number.lastIndexOf(',');
        int point = number.lastIndexOf('.');
        boolean thousands = comma >= 0 && (comma < point || number.indexOf(',') < comma);
        return comma < 0
                ? number
                : thousands ? number.replace(",", "") : number.replace(".", "").replace(',', '.');
    }
}
