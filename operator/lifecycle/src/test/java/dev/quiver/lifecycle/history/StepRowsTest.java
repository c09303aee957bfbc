package dev.quiver.lifecycle.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.history.StepRowsReader.Kind;

/** The rows of a step: their bytes, their order, and how they stay within their bound. */
class StepRowsTest {

    private static List<Object> read(byte[] encoded) throws MalformedEntryException {
        List<Object> rows = new ArrayList<>();
        StepRowsReader from = StepRows.read(encoded, HistoryBounds.ROWS);
        while (from.next()) {
            rows.add(
                    switch (from.kind()) {
                        case NOTHING -> Kind.NOTHING;
                        case PASS ->
                            new StepRows.PassRow(from.task(), from.slot(), from.endedMillis(), from.runMillis());
                        case TRIAL -> from.trial().orElseThrow();
                    });
        }
        return rows;
    }

    @Test
    void aPassTakesFiveBytesWithUsualTimes() {
        StepRows rows = new StepRows();
        for (int i = 0; i < 64; i++) {
            rows.pass(1_000_000 + i, i % 64, i, 90 + i % 30);
        }
        assertThat(rows.encode().length).isLessThan(64 * 5);
    }

    @Test
    void rowsComeBackInTheOrderOfTheirSettlements() throws MalformedEntryException {
        TrialRow failed = TrialRow.of(3, 2, 5, TrialStatus.FAILED, 7, 1200)
                .because(Optional.of(1), Optional.empty(), "NonZeroExit", "expected 3 got 4");
        byte[] encoded = new StepRows()
                .pass(900, 63, 0, 0)
                .nothing()
                .trial(failed)
                .pass(4, 0, 12, 3)
                .encode();
        assertThat(read(encoded))
                .usingRecursiveFieldByFieldElementComparator()
                .containsExactly(
                        new StepRows.PassRow(900, 63, 0, 0), Kind.NOTHING, failed, new StepRows.PassRow(4, 0, 12, 3));
    }

    @Test
    void rowsOfTreesNameTheirRun() throws MalformedEntryException {
        byte[] encoded = new StepRows()
                .run("tree-a")
                .pass(1, 0, 0, 1)
                .pass(2, 0, 0, 1)
                .run("tree-b")
                .pass(1, 0, 0, 1)
                .encode();
        StepRowsReader from = StepRows.read(encoded, HistoryBounds.ROWS);
        List<String> runs = new ArrayList<>();
        while (from.next()) {
            runs.add(from.run() + " " + from.task());
        }
        assertThat(runs).containsExactly("tree-a 1", "tree-a 2", "tree-b 1");
    }

    @Test
    void whatDoesNotFitLosesItsTailsAndNeverItself() throws MalformedEntryException {
        StepRows rows = new StepRows();
        byte[] noise = new byte[3000];
        for (int i = 0; i < 64; i++) {
            rows.trial(TrialRow.of(i, 1, 0, TrialStatus.FAILED, 1, 1)
                    .because(Optional.of(1), Optional.empty(), "NonZeroExit", "m".repeat(600))
                    .printed(noise, noise, 6000));
        }
        byte[] encoded = rows.encode();
        assertThat(encoded.length).isBetween(HistoryBounds.ROWS_BYTES - 7000, HistoryBounds.ROWS_BYTES);
        List<TrialRow> back = read(encoded).stream().map(TrialRow.class::cast).toList();
        assertThat(back).hasSize(64);
        assertThat(back.getFirst().outputCut()).isFalse();
        assertThat(back.getFirst().stdout()).hasSize(3000);
        assertThat(back.getLast().outputCut()).isTrue();
        assertThat(back.getLast().stdout()).isEmpty();
        assertThat(back.getLast().message().orElseThrow()).hasSize(HistoryBounds.MESSAGE_BYTES);
    }

    @Test
    void resultsThatDoNotFitAreLeftOutOfLaterRows() throws MalformedEntryException {
        StepRows rows = new StepRows();
        byte[] result = new byte[HistoryBounds.RESULT_BYTES];
        for (int i = 0; i < HistoryBounds.ROWS; i++) {
            rows.trial(TrialRow.of(i, 1, 0, TrialStatus.PASSED, 0, 1).returned(ResultFormat.BYTES, result));
        }
        byte[] encoded = rows.encode();
        assertThat(encoded.length).isBetween(60_000, HistoryBounds.ROWS_BYTES);
        List<TrialRow> back = trials(encoded);
        assertThat(back).hasSize(HistoryBounds.ROWS);
        assertThat(back.getFirst().result()).isPresent();
        assertThat(back.getFirst().outputCut()).isFalse();
        assertThat(back.getLast().result()).isEmpty();
        assertThat(back.getLast().outputCut()).isTrue();
    }

    @Test
    void casesThatDoNotFitAreLeftOutOfLaterRowsAndBehindOutput() throws MalformedEntryException {
        TrialRow.Case longest =
                new TrialRow.Case("é".repeat(300), TrialStatus.ERROR, HistoryBounds.NUMBER, "漢".repeat(600));
        List<TrialRow.Case> all = java.util.Collections.nCopies(HistoryBounds.CASES, longest);
        TrialRow.Counts counts = new TrialRow.Counts(1, 2, 3);
        StepRows rows = new StepRows();
        for (int i = 0; i < 64; i++) {
            rows.trial(TrialRow.of(i, 1, 0, TrialStatus.FAILED, 1, 1)
                    .because(Optional.of(1), Optional.empty(), "NonZeroExit", "m".repeat(600))
                    .printed(new byte[4000], new byte[4000], 8000)
                    .reported(counts, i == 1 ? all.subList(0, 2) : all));
        }
        byte[] encoded = rows.encode();
        assertThat(encoded.length).isLessThanOrEqualTo(HistoryBounds.ROWS_BYTES);
        List<TrialRow> back = trials(encoded);
        assertThat(back).hasSize(64).allSatisfy(row -> assertThat(row.counts()).contains(counts));
        assertThat(back.get(0).cases()).hasSize(HistoryBounds.CASES);
        assertThat(back.get(0).outputCut()).isTrue();
        assertThat(back.get(1).cases()).hasSize(2);
        assertThat(back.get(1).cases().getFirst().name()).isEqualTo("é".repeat(128));
        assertThat(back.getLast().cases()).isEmpty();
        assertThat(back.getLast().outputCut()).isTrue();
    }

    @Test
    void theLargestStepFits() throws MalformedEntryException {
        StepRows rows = new StepRows();
        for (int i = 0; i < HistoryBounds.ROWS; i++) {
            rows.run("t".repeat(79) + i % 10);
            rows.trial(TrialRow.of(HistoryBounds.TASK - i, 1, 63, TrialStatus.FAILED, 1 << 20, 1 << 30)
                    .because(Optional.of(255), Optional.empty(), "R".repeat(64), "m".repeat(512)));
        }
        assertThat(trials(rows.encode())).hasSize(HistoryBounds.ROWS);
    }

    private static List<TrialRow> trials(byte[] encoded) throws MalformedEntryException {
        List<TrialRow> back = new ArrayList<>();
        StepRowsReader reader = StepRows.read(encoded, HistoryBounds.ROWS);
        while (reader.next()) {
            back.add(reader.trial().orElseThrow());
        }
        return back;
    }

    @Test
    void aMessageIsCutBetweenTwoCharacters() throws MalformedEntryException {
        byte[] encoded = new StepRows()
                .trial(TrialRow.of(1, 1, 0, TrialStatus.ERROR, 0, 0)
                        .because(Optional.empty(), Optional.of(9), "Signalled", "漢".repeat(300)))
                .encode();
        TrialRow back = (TrialRow) read(encoded).getFirst();
        assertThat(back.message()).contains("漢".repeat(170));
    }

    @Test
    void moreRowsThanSettlementsAreRefused() {
        StepRows rows = new StepRows();
        for (int i = 0; i < HistoryBounds.ROWS; i++) {
            rows.nothing();
        }
        assertThatThrownBy(rows::nothing).isInstanceOf(IllegalArgumentException.class);
        byte[] encoded = rows.encode();
        assertThatThrownBy(() -> StepRows.read(encoded, 10)).isInstanceOf(MalformedEntryException.class);
    }

    @Test
    void bytesBehindTheLastRowAreRefused() throws MalformedEntryException {
        byte[] encoded = new StepRows().pass(1, 1, 1, 1).encode();
        StepRowsReader longer = StepRows.read(java.util.Arrays.copyOf(encoded, encoded.length + 1), 10);
        assertThat(longer.next()).isTrue();
        assertThatThrownBy(longer::next).isInstanceOf(MalformedEntryException.class);
    }

    @Test
    void tailsKeepTheEndAndInflateWithinTheirBound() throws MalformedEntryException {
        byte[] output = ("line\n".repeat(5000) + "the last line").getBytes(StandardCharsets.UTF_8);
        byte[] packed = Tails.pack(output, HistoryBounds.TAIL_BYTES);
        assertThat(packed.length).isLessThan(200);
        byte[] back = Tails.unpack(packed, HistoryBounds.TAIL_BYTES);
        assertThat(back).hasSize(HistoryBounds.TAIL_BYTES);
        assertThat(new String(back, StandardCharsets.UTF_8)).endsWith("the last line");
        byte[] bomb = Tails.pack(new byte[1 << 22]);
        assertThatThrownBy(() -> Tails.unpack(bomb, HistoryBounds.TAIL_BYTES))
                .isInstanceOf(MalformedEntryException.class);
        byte[] noise = new byte[HistoryBounds.TAIL_BYTES];
        new java.util.Random(1).nextBytes(noise);
        assertThat(Tails.pack(noise, HistoryBounds.TAIL_BYTES).length)
                .isLessThanOrEqualTo(HistoryBounds.PACKED_TAIL_BYTES);
    }
}
