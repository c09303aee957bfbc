package dev.quiver.supervisor;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;

import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.text.PrintableText;

/** The log of a worker for the record of runs: its own lines, then those of its slots' processes. Stateless. */
final class SlotLogs {

    /** Less than a time and a word says nothing. */
    private static final int LEAST_CUT = 64;

    private SlotLogs() {}

    /**
     * Puts both together. Each line of a slot has the slot's number in front, so that a task's text cannot pass for the
     * supervisor's. Slots with many lines lose the oldest, each as many bytes as the others may have.
     *
     * @param own lines of the supervisor; the end of them where they are longer than {@link HistoryBounds#TAIL_BYTES}
     * @param slots number of slots
     * @param log the lines of a slot, written by the user's side
     * @return at most {@link HistoryBounds#LOG_BYTES} bytes
     */
    static byte[] behind(byte[] own, int slots, IntFunction<byte[]> log) {
        List<List<byte[]>> all = new ArrayList<>();
        for (int slot = 0; slot < slots; slot++) {
            List<byte[]> lines = lines(slot, log.apply(slot));
            if (!lines.isEmpty()) {
                all.add(lines);
            }
        }
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        int from = Math.max(0, own.length - HistoryBounds.TAIL_BYTES);
        to.write(own, from, own.length - from);
        for (int i = 0; i < all.size(); i++) {
            int share = (HistoryBounds.LOG_BYTES - to.size()) / (all.size() - i); // what others left is shared again
            end(all.get(i), share).forEach(to::writeBytes);
        }
        return to.toByteArray();
    }

    private static List<byte[]> lines(int slot, byte[] log) {
        return new String(log, StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.isBlank())
                .map(line -> ("slot " + slot + ": " + PrintableText.of(line) + "\n").getBytes(StandardCharsets.UTF_8))
                .toList();
    }

    /** The last lines that have room; of a last one that has none its beginning. */
    private static List<byte[]> end(List<byte[]> lines, int room) {
        int from = lines.size();
        if (lines.getLast().length > room) {
            return room < LEAST_CUT ? List.of() : List.of(cut(lines.getLast(), room));
        }
        for (int left = room; from > 0 && lines.get(from - 1).length <= left; from--) {
            left -= lines.get(from - 1).length;
        }
        return lines.subList(from, lines.size());
    }

    /** Its first bytes, as whole characters. */
    private static byte[] cut(byte[] line, int room) {
        int end = room - 1;
        while ((line[end] & 0xC0) == 0x80) {
            end--;
        }
        byte[] cut = Arrays.copyOf(line, end + 1);
        cut[end] = '\n';
        return cut;
    }
}
