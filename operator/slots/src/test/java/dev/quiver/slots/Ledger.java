package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The facts that Redis would know of a supervisor's slots, from the lines of {@link SupervisorMain}; judges each of
 * them.
 */
final class Ledger {
    private final Map<Integer, Long> held = new HashMap<>();
    private final Map<Integer, Long> last = new HashMap<>();
    private final Map<String, Integer> seen = new HashMap<>();

    /** Slots and generations that are not settled, as {@link SupervisorMain} takes them. */
    List<String> held() {
        return held.entrySet().stream()
                .map(entry -> entry.getKey() + ":" + entry.getValue())
                .toList();
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    /** How often such a line came. */
    int count(String beginning) {
        return seen.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(beginning))
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    void take(String line) {
        String[] words = line.split(" ");
        boolean ofSlot = !List.of("open", "arrived", "said", "violated").contains(words[0]);
        int slot = ofSlot ? Integer.parseInt(words[1]) : -1;
        long generation = ofSlot && words.length > 2 ? Long.parseLong(words[2]) : 0;
        seen.merge(kind(words), 1, Integer::sum);
        switch (words[0]) {
            case "dispatched" -> {
                assertThat(held.put(slot, generation)).as(line).isNull();
                assertThat(last.getOrDefault(slot, 0L)).as(line).isLessThan(generation);
                last.put(slot, generation);
            }
            case "finished", "cancelled", "lost" -> {
                // What was told before may be told again to a supervisor that came back; what was never told is new.
                assertThat(held.getOrDefault(slot, generation)).as(line).isEqualTo(generation);
                held.remove(slot);
            }
            case "found" -> {
                boolean ours = held.getOrDefault(slot, 0L) == generation;
                assertThat(held.getOrDefault(slot, generation)).as(line).isEqualTo(generation);
                assertThat(words[4]).as(line).isEqualTo(Boolean.toString(ours));
                last.put(slot, generation);
            }
            case "ready" -> assertThat(held).as(line).doesNotContainKey(slot);
            case "open", "arrived", "said" -> {
                // Nobody holds anything by these.
            }
            default -> throw new AssertionError(line);
        }
    }

    private static String kind(String[] words) {
        return switch (words[0]) {
            case "finished" -> "finished " + words[3] + " " + words[4];
            case "found" -> "found " + words[3] + " " + words[4];
            default -> words[0];
        };
    }

    @Override
    public String toString() {
        return "held " + held + ", seen " + new java.util.TreeMap<>(seen);
    }
}
