package dev.quiver.sdk;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The first state of a key is written with what the plan changes that finds none. */
final class FirstState {
    private static final BigInteger MOST_WHOLE = BigInteger.valueOf(9_007_199_254_740_991L);

    private FirstState() {}

    static Done plan(ComplexHandler of, Kept kept, Task task) throws Exception {
        boolean none = kept.state().isEmpty() && kept.markers().isEmpty();
        Map<String, String> first =
                Optional.ofNullable(none ? of.init(kept.key()) : null).orElse(Map.of());
        Map<String, Change> written = new LinkedHashMap<>();
        first.forEach(
                (field, value) -> written.put(field, Change.set(field, value).expecting("null")));
        Kept seen = first.isEmpty() ? kept : new Kept(kept.key(), first, kept.marker(), kept.markers(), kept.args());
        Done done = Optional.ofNullable(of.plan(seen, task)).orElseGet(() -> Done.of(null));
        return first.isEmpty() ? done : done.changing(upon(seen.state(), written, done.changes()), done.markers());
    }

    /**
     * The changes that write this state as these change it: nothing of it is there yet.
     *
     * @param made those that write it as it is; they are changed
     */
    private static List<Change> upon(Map<String, String> first, Map<String, Change> made, List<Change> said) {
        for (Change change : said) {
            String value = first.get(change.field());
            if (value != null
                    && change.expect()
                            .filter(json -> !JsonValues.isSame(value, json))
                            .isPresent()) {
                throw new IllegalArgumentException("the plan expects "
                        + JsonValues.shown(change.expect().get()) + " of " + change.field()
                        + ", and the first state has " + JsonValues.shown(value));
            }
            if (value == null) {
                made.put(change.field(), change);
            } else if (change.value().isEmpty()) {
                made.remove(change.field());
            } else {
                String after = change.kind().equals("add")
                        ? sum(change.field(), value, change.value().get())
                        : change.value().get();
                made.put(change.field(), Change.set(change.field(), after).expecting("null"));
            }
        }
        return new ArrayList<>(made.values());
    }

    /** As Redis adds to what is kept: whole numbers exactly, and others as doubles. */
    private static String sum(String field, String old, String more) {
        String a = number(field, "the first state has ", old.strip());
        String b = number(field, "the plan has ", more.strip());
        if (JsonValues.isWhole(a) && JsonValues.isWhole(b)) {
            BigInteger x = new BigInteger(a);
            BigInteger y = new BigInteger(b);
            BigInteger sum = x.add(y);
            if (x.abs().max(y.abs()).max(sum.abs()).compareTo(MOST_WHOLE) > 0) {
                throw new IllegalArgumentException(
                        "add: " + field + " would be too large, whole numbers up to " + MOST_WHOLE + " are allowed");
            }
            return sum.toString();
        }
        double sum = Double.parseDouble(a) + Double.parseDouble(b);
        if (!Double.isFinite(sum)) {
            throw new IllegalArgumentException(
                    "add: " + field + " would be too large, it is the sum of " + a + " and " + b);
        }
        return Double.toString(sum);
    }

    private static String number(String field, String whose, String text) {
        if (!JsonValues.isNumber(text) || text.length() > JsonValues.MOST_NUMBER) {
            throw new IllegalArgumentException("add: " + whose + JsonValues.shown(text) + " as " + field
                    + ", a number is needed, of at most " + JsonValues.MOST_NUMBER + " characters");
        }
        return text;
    }
}
