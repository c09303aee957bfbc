package dev.quiver.lifecycle.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

import dev.quiver.lifecycle.history.HistoryEntry.Loss;
import dev.quiver.lifecycle.history.HistoryEntry.Phase;
import dev.quiver.lifecycle.history.HistoryEntry.WorkerEvent;

/** Entries as writers may make them, by a seed. */
public final class RandomEntries {

    private static final String LETTERS = "aZ0-_ é漢\u0000\u202e<&\"'=+\n😀";

    private final Random random;

    /** The same entries for the same seed. */
    public RandomEntries(long seed) {
        random = new Random(seed);
    }

    /** Any text of at most so many characters, with signs that often make trouble. */
    public String text(int most) {
        StringBuilder text = new StringBuilder();
        int[] letters = LETTERS.codePoints().toArray();
        for (int i = random.nextInt(most + 1); i > 0; i--) {
            text.appendCodePoint(letters[random.nextInt(letters.length)]);
        }
        return text.toString();
    }

    /** Any bytes of at most that length. */
    public byte[] bytes(int most) {
        byte[] bytes = new byte[random.nextInt(most + 1)];
        random.nextBytes(bytes);
        return bytes;
    }

    private long number(long most) {
        return random.nextLong(most + 1) >>> random.nextInt(40);
    }

    private <T> Optional<T> perhaps(T value) {
        return random.nextBoolean() ? Optional.of(value) : Optional.empty();
    }

    private PackPlace place() {
        return new PackPlace("p" + random.nextInt(9), number(1 << 30), number(1 << 20));
    }

    private List<TrialRow.Case> cases() {
        return Stream.generate(() -> new TrialRow.Case(
                        text(60), TrialStatus.values()[1 + random.nextInt(3)], number(1 << 20), text(100)))
                .limit(random.nextBoolean() ? 0 : random.nextInt(HistoryBounds.CASES + 1))
                .toList();
    }

    /** A record of a trial. */
    public TrialRow trial() {
        return new TrialRow(
                number(HistoryBounds.TASK),
                1 + random.nextInt(3),
                random.nextInt(2),
                random.nextInt(64),
                TrialStatus.values()[random.nextInt(7)],
                number(HistoryBounds.NUMBER),
                number(HistoryBounds.NUMBER),
                perhaps(random.nextInt(256)),
                perhaps(random.nextInt(128)),
                perhaps("NonZeroExit"),
                perhaps(text(100)),
                perhaps(new TrialRow.Resources(number(1 << 20), number(1 << 20))),
                perhaps(new TrialRow.Counts(number(9), number(9), number(9))),
                cases(),
                number(1L << 40),
                bytes(40),
                bytes(40),
                perhaps(new TrialRow.Result(ResultFormat.values()[random.nextInt(3)], bytes(100))),
                random.nextBoolean() ? number(1 << 30) : 0,
                perhaps(place()),
                new TrialRow.Streams(perhaps(place()), perhaps(place())),
                random.nextBoolean() ? number(1 << 30) : 0,
                random.nextBoolean());
    }

    /** Rows of a step. */
    public StepRows rows() {
        StepRows rows = new StepRows();
        if (random.nextInt(4) == 0) {
            rows.run("tree" + random.nextInt(100));
        }
        for (int i = random.nextInt(20) + 1; i > 0; i--) {
            switch (random.nextInt(4)) {
                case 0 -> rows.nothing();
                case 1 -> rows.trial(trial());
                default -> rows.pass(number(HistoryBounds.TASK), random.nextInt(64), number(99999), number(99999));
            }
        }
        return rows;
    }

    /** An entry of any kind. */
    public HistoryEntry entry() {
        String uid = "uid-" + random.nextInt(5);
        String session = "session-" + random.nextInt(3);
        long at = 1_700_000_000_000L + number(1 << 30);
        return switch (random.nextInt(8)) {
            case 0 -> new HistoryEntry.Opened(uid, at, opening());
            case 1 -> new HistoryEntry.Worker(uid, at, session, event());
            case 2 -> {
                StepRows rows = rows();
                yield new HistoryEntry.Step(
                        uid,
                        at,
                        HistoryEntry.Source.values()[random.nextInt(3)],
                        session,
                        number(1 << 20),
                        "c".repeat(rows.settlements()),
                        rows.encode());
            }
            case 3 -> new HistoryEntry.Named(uid, at, names());
            case 4 ->
                new HistoryEntry.Reaped(
                        uid,
                        at,
                        session,
                        List.of(
                                new Loss(number(1 << 20), 1, random.nextBoolean()),
                                new Loss(1, 2, true),
                                Loss.of("AbCdEfGhIjKlMn.7", 1, true),
                                Loss.earlier("t", 6)));
            case 5 -> new HistoryEntry.Deleted(uid, at);
            case 6 ->
                new HistoryEntry.Ranged(
                        uid,
                        at,
                        new NodeRange(
                                NodeRange.Kind.values()[random.nextInt(2)],
                                number(99),
                                number(1 << 30),
                                number(1 << 20),
                                2 + number(99),
                                number(99)));
            default -> new HistoryEntry.Ended(uid, at, end());
        };
    }

    private RunOpening opening() {
        Map<String, String> labels = new HashMap<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            labels.put("label" + i, text(20));
        }
        return new RunOpening(
                RunKind.values()[random.nextInt(4)],
                "run" + random.nextInt(9),
                "ns-uid",
                perhaps("class"),
                "pool",
                perhaps("parent"),
                number(99),
                perhaps(1 + number(1L << 40)),
                number(1L << 40),
                number(1L << 30),
                perhaps("hash"),
                random.nextInt(30),
                random.nextInt(30),
                random.nextBoolean(),
                labels,
                bytes(300));
    }

    private WorkerEvent event() {
        return new WorkerEvent(
                Phase.values()[random.nextInt(3)],
                "pool",
                "pod",
                "pod-uid",
                "node",
                random.nextInt(65),
                random.nextInt(3000),
                perhaps(1 + number(1L << 40)),
                perhaps(1 + number(1L << 40)),
                perhaps(1 + number(1L << 40)),
                perhaps(1 + number(1L << 40)),
                perhaps("Evicted"),
                bytes(100));
    }

    private RunNames names() {
        List<String> names = new ArrayList<>();
        for (int i = random.nextInt(20); i > 0; i--) {
            names.add(text(30));
        }
        List<RunNames.Node> nodes = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            nodes.add(new RunNames.Node(i, i - 1, "chain", text(10), "", number(9), number(9)));
        }
        return new RunNames("hash", number(99), names, nodes);
    }

    private RunEnd end() {
        return new RunEnd(
                RunEnd.Status.values()[random.nextInt(3)],
                perhaps("TasksFailed"),
                perhaps("3 tasks failed"),
                perhaps(1 + number(1L << 40)),
                number(1 << 30),
                number(1 << 30),
                0,
                number(99),
                number(1 << 30),
                number(9),
                number(1L << 40),
                number(9));
    }
}
