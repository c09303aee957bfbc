package dev.quiver.sdk;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The first state of a key is written with what the plan changes that finds none. */
final class FirstState {
    private static final Pattern NUMBER = Pattern.compile("-?\\d{1,19}(\\.\\d{1,19})?([eE][+-]?\\d{1,3})?");
    private static final Pattern WHOLE = Pattern.compile("[-\\d]+");
    private static final BigDecimal MOST_WHOLE = new BigDecimal("9007199254740991");
    private static final int MOST_SHOWN = 80;

    private FirstState() {}

    static Done plan(ComplexHandler of, Kept kept, Task task) throws Exception {
        boolean none = kept.state().isEmpty() && kept.markers().isEmpty();
        Map<String, String> first =
                Optional.ofNullable(none ? of.init(kept.key()) : null).orElse(Map.of());
        Kept seen = first.isEmpty() ? kept : new Kept(kept.key(), first, kept.marker(), kept.markers(), kept.args());
        Done done = Optional.ofNullable(of.plan(seen, task)).orElseGet(() -> Done.of(null));
        return first.isEmpty() ? done : done.changing(upon(first, done.changes()), done.markers());
    }

    /** The changes that write this state as these change it: nothing of it is there yet. */
    private static List<Change> upon(Map<String, String> first, List<Change> said) {
        Map<String, Change> made = new LinkedHashMap<>();
        first.forEach((field, value) -> made.put(field, Change.set(field, value).expecting("null")));
        for (Change change : said) {
            String value = first.get(change.field());
            if (value != null
                    && change.expect().filter(json -> !json.equals(value)).isPresent()) {
                throw new IllegalArgumentException("the plan expects "
                        + shown(change.expect().get()) + " of " + change.field() + ", and the first state has "
                        + shown(value));
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

    /** As Redis adds to what is kept. */
    private static String sum(String field, String old, String more) {
        BigDecimal a = number(field, "the first state has ", old.strip());
        BigDecimal b = number(field, "the plan has ", more.strip());
        BigDecimal sum = a.add(b);
        boolean isWhole = WHOLE.matcher(old.strip() + more.strip()).matches();
        if (isWhole && a.abs().max(b.abs()).max(sum.abs()).compareTo(MOST_WHOLE) > 0) {
            throw new IllegalArgumentException(
                    "add: " + field + " would be too large, whole numbers up to " + MOST_WHOLE + " are allowed");
        }
        return sum.toString();
    }

    private static BigDecimal number(String field, String whose, String text) {
        if (!NUMBER.matcher(text).matches()) {
            throw new IllegalArgumentException("add: " + whose + shown(text) + " as " + field + ", a number is needed");
        }
        return new BigDecimal(text);
    }

    private static String shown(String value) {
        return value.length() <= MOST_SHOWN ? value : value.substring(0, MOST_SHOWN) + "…";
    }
}
