package dev.quiver.sdk;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The first state of a key is written with what the plan changes that finds none. */
final class FirstState {
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
                        + change.expect().get() + " of " + change.field() + ", and the first state has " + value);
            }
            if (value == null) {
                made.put(change.field(), change);
            } else if (change.value().isEmpty()) {
                made.remove(change.field());
            } else {
                String after = change.kind().equals("add")
                        ? new BigDecimal(value.strip())
                                .add(new BigDecimal(change.value().get().strip()))
                                .toString()
                        : change.value().get();
                made.put(change.field(), Change.set(change.field(), after).expecting("null"));
            }
        }
        return new ArrayList<>(made.values());
    }
}
