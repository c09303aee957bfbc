package dev.quiver.lifecycle.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import com.sun.management.ThreadMXBean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries come back as they were written, and forged ones cost no more than their bytes. */
class EntryFieldsTest {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void everyEntryComesBackAsItWasWritten() throws MalformedEntryException {
        RandomEntries entries = new RandomEntries(14);
        for (int i = 0; i < 5_000; i++) {
            HistoryEntry entry = entries.entry();
            HistoryEntry back = EntryFields.read(EntryFields.of(entry));
            assertThat(back).usingRecursiveComparison().isEqualTo(entry);
        }
    }

    @Test
    void anEntryOfAnUnknownKindOrVersionIsANewerOne() {
        List<byte[]> unknown = fields("k", "y", "u", "uid", "t", "1");
        assertThatThrownBy(() -> EntryFields.read(unknown))
                .isInstanceOfSatisfying(
                        MalformedEntryException.class,
                        e -> assertThat(e.isNewer()).isTrue());
        List<byte[]> opening = fields("k", "o", "u", "uid", "t", "1", "b", "\u0002");
        assertThatThrownBy(() -> EntryFields.read(opening))
                .isInstanceOfSatisfying(
                        MalformedEntryException.class,
                        e -> assertThat(e.isNewer()).isTrue());
    }

    @Test
    void aLossOfTheKeyspacesPastIsAboutNoRun() throws MalformedEntryException {
        for (HistoryEntry.Past loss : HistoryEntry.Past.values()) {
            HistoryEntry entry = new HistoryEntry.Rewound(17, loss);
            assertThat(EntryFields.read(EntryFields.of(entry))).isEqualTo(entry);
        }
        assertThat(EntryFields.read(fields("k", "x", "u", "uid", "t", "1", "z", "emptied")))
                .isEqualTo(new HistoryEntry.Rewound(1, HistoryEntry.Past.EMPTIED));
        List<byte[]> unknown = fields("k", "x", "t", "1", "z", "torn");
        assertThatThrownBy(() -> EntryFields.read(unknown))
                .isInstanceOfSatisfying(
                        MalformedEntryException.class,
                        e -> assertThat(e.isNewer()).isTrue());
    }

    @Test
    void aFurtherFieldIsPassedOver() throws MalformedEntryException {
        List<byte[]> more = new ArrayList<>(
                EntryFields.of(new HistoryEntry.Opened("uid", 5, RunOpening.of(RunKind.TASK_SET, "specs", 1, 10))));
        more.addAll(fields("y", "of a newer writer", "long", "name"));
        assertThat(EntryFields.read(more)).isInstanceOf(HistoryEntry.Opened.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1.5", "99999999999999999999", "1e3", "٣"})
    void aTimeThatIsNoNumberIsRefused(String time) {
        List<byte[]> forged = fields("k", "e", "u", "uid", "t", time);
        assertThatThrownBy(() -> EntryFields.read(forged)).isInstanceOf(MalformedEntryException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void randomBytesThrowNothingElseAndAllocateNoMoreThanTheyHold(long seed) {
        Random random = new Random(seed);
        RandomEntries bytes = new RandomEntries(seed);
        String kinds = "owtnle";
        for (int i = 0; i < 5_000; i++) {
            String kind = "" + kinds.charAt(random.nextInt(kinds.length()));
            List<byte[]> forged = fields("k", kind, "u", "uid", "t", "17", "q", "s", "s", "one", "c", "3", "v", "ccc");
            byte[] body = bytes.bytes(400);
            if (body.length > 0) {
                body[0] = 1;
            }
            for (String name : List.of("b", "r", "i", "z")) {
                forged.add(name.getBytes(StandardCharsets.UTF_8));
                forged.add(body);
            }
            readWithinBounds(forged);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14})
    void entriesWithSomeBytesForgedThrowNothingElseAndAllocateNoMoreThanTheyHold(long seed) {
        Random random = new Random(seed);
        RandomEntries entries = new RandomEntries(seed);
        for (int i = 0; i < 5_000; i++) {
            List<byte[]> fields = new ArrayList<>(EntryFields.of(entries.entry()));
            for (int forged = 1 + random.nextInt(4); forged > 0; forged--) {
                int at = random.nextInt(fields.size());
                byte[] field = fields.get(at).clone();
                if (field.length > 0) {
                    field[random.nextInt(field.length)] = (byte) (random.nextBoolean() ? 0xff : random.nextInt());
                    fields.set(at, field);
                }
            }
            readWithinBounds(fields);
        }
    }

    /** A forged length or count of 2³¹ would show itself here. */
    private static void readWithinBounds(List<byte[]> fields) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        try {
            if (EntryFields.read(fields) instanceof HistoryEntry.Step step) {
                StepRowsReader rows = StepRows.read(step.rows(), HistoryBounds.ROWS);
                while (rows.next()) {
                    assertThat(rows.task()).isBetween(0L, HistoryBounds.TASK);
                }
            }
        } catch (MalformedEntryException declared) {
            assertThat(declared).hasMessageNotContaining("null");
        }
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        assertThat(allocated).isLessThan(1_000_000 + 200 * EntryFields.bytes(fields));
    }

    @Test
    void namesAndLossesBeyondTheirBoundsAreRefused() {
        List<byte[]> losses = fields(
                "k",
                "l",
                "u",
                "uid",
                "t",
                "1",
                "s",
                "one",
                "i",
                "1:1:c ".repeat(257).strip());
        assertThatThrownBy(() -> EntryFields.read(losses)).isInstanceOf(MalformedEntryException.class);
        List<byte[]> uid = fields("k", "l", "u", "u".repeat(400), "t", "1", "s", "one", "i", "");
        assertThatThrownBy(() -> EntryFields.read(uid)).isInstanceOf(MalformedEntryException.class);
    }

    private static List<byte[]> fields(String... words) {
        List<byte[]> fields = new ArrayList<>();
        for (String word : words) {
            fields.add(word.getBytes(StandardCharsets.UTF_8));
        }
        return fields;
    }
}
