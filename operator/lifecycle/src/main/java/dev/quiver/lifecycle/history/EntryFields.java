package dev.quiver.lifecycle.history;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

import dev.quiver.lifecycle.history.HistoryEntry.Loss;

/**
 * An entry as the fields of the stream, and back. Names of fields have one letter:
 *
 * <pre>
 *   all   k kind, u uid (x has none), t time of Redis
 *   o     b RunOpening
 *   w     s session, b WorkerEvent
 *   t     q source (s, q, c), s session, c call, v verdict letters, r rows
 *   n     b RunNames
 *   r     i NodeRange: its six words with a space between two
 *   l     s session, i task:trial:verdict with a space between two; of a queue's run =id:trial:verdict. Verdicts: t it is
 *         to run again, c it ended, f it ended by this loss, which was recorded before
 *   d     nothing else
 *   x     z rewound or emptied
 *   e     z status, q reason, m message, a started at, c eight counters with a space between two
 * </pre>
 *
 * Lua makes the fields of t, r, l, d, x and e from what it has; Java makes every b and r. Stateless.
 */
public final class EntryFields {

    /** Bytes that an entry takes in Redis beside its names and values: its id and its place in the stream. */
    public static final int OVERHEAD_BYTES = 40;

    /** An id of a tree's node, or of a task of npm's idoit. */
    private static final Pattern QUEUE_ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    /** Rows of a run whose uid begins so are of the entry's own run: a source of work that is none. */
    public static final String QUEUE = "tasks:";

    private static final int RANGE_BYTES = 128;
    private static final String COUNTED = "ct";
    private static final char ENDED_BEFORE = 'k';
    private static final char SUPERSEDED = 's';

    private EntryFields() {}

    /** Names and values in turn, as XADD takes them. */
    public static List<byte[]> of(HistoryEntry entry) {
        Map<Character, byte[]> fields = new LinkedHashMap<>();
        fields.put('u', text(entry.uid()));
        fields.put('t', text(Long.toString(entry.at())));
        switch (entry) {
            case HistoryEntry.Opened opened ->
                put(fields, 'o', 'b', opened.opening().encode());
            case HistoryEntry.Worker worker -> {
                put(fields, 'w', 'b', WorkerEvents.encode(worker.event()));
                fields.put('s', text(worker.session()));
            }
            case HistoryEntry.Step step -> {
                put(fields, 't', 'r', step.rows());
                fields.put('q', text(source(step.source())));
                fields.put('s', text(step.session()));
                fields.put('c', text(Long.toString(step.call())));
                fields.put('v', text(step.verdicts()));
            }
            case HistoryEntry.Named named -> put(fields, 'n', 'b', named.names().encode());
            case HistoryEntry.Ranged ranged ->
                put(fields, 'r', 'i', text(ranged.range().text()));
            case HistoryEntry.Reaped reaped -> {
                StringBuilder ids = new StringBuilder();
                for (Loss loss : reaped.losses()) {
                    ids.append(ids.isEmpty() ? "" : " ");
                    ids.append(loss.id().map(id -> "=" + id).orElseGet(() -> Long.toString(loss.task())))
                            .append(':');
                    ids.append(loss.trial()).append(':').append(loss.earlier() ? 'f' : loss.ended() ? 'c' : 't');
                }
                put(fields, 'l', 'i', text(ids.toString()));
                fields.put('s', text(reaped.session()));
            }
            case HistoryEntry.Deleted _ -> fields.put('k', text("d"));
            case HistoryEntry.Rewound rewound -> {
                put(fields, 'x', 'z', text(rewound.loss().word()));
                fields.remove('u');
            }
            case HistoryEntry.Ended ended -> end(fields, ended.end());
        }
        List<byte[]> all = new ArrayList<>();
        fields.forEach((name, value) -> {
            all.add(new byte[] {(byte) name.charValue()});
            all.add(value);
        });
        return all;
    }

    private static void end(Map<Character, byte[]> fields, RunEnd end) {
        put(fields, 'e', 'z', text(end.status().word()));
        fields.put('q', text(end.reason().orElse("")));
        fields.put('m', text(end.message().orElse("")));
        fields.put('a', text(Long.toString(end.startedAt().orElse(0L))));
        fields.put(
                'c',
                text(end.tasks() + " " + end.succeeded() + " " + end.pending() + " " + end.failed() + " " + end.trials()
                        + " " + end.lost() + " " + end.runMillis() + " " + end.notRecorded()));
    }

    private static void put(Map<Character, byte[]> fields, char kind, char name, byte[] value) {
        fields.put('k', new byte[] {(byte) kind});
        fields.put(name, value);
    }

    /** The bytes that an entry of these names and values counts in {@code history_bytes}. */
    public static long bytes(List<byte[]> fields) {
        long bytes = OVERHEAD_BYTES;
        for (byte[] field : fields) {
            bytes += field.length;
        }
        return bytes;
    }

    /**
     * Reads an entry.
     *
     * @param fields names and values in turn
     * @throws MalformedEntryException for anything that breaks the format; nothing else is thrown
     */
    public static HistoryEntry read(List<byte[]> fields) throws MalformedEntryException {
        Map<Character, byte[]> byName = byName(fields);
        long at = number(byName, 't');
        String kind = text(byName, 'k', 8);
        if (kind.equals("x")) {
            return new HistoryEntry.Rewound(at, HistoryEntry.Past.of(text(byName, 'z', 16)));
        }
        String uid = identifier(text(byName, 'u', HistoryBounds.ID_BYTES), "u");
        return switch (kind) {
            case "o" -> new HistoryEntry.Opened(uid, at, RunOpening.decode(bytes(byName, 'b')));
            case "w" -> new HistoryEntry.Worker(uid, at, session(byName), WorkerEvents.decode(bytes(byName, 'b')));
            case "t" -> step(byName, uid, at);
            case "n" -> new HistoryEntry.Named(uid, at, RunNames.decode(bytes(byName, 'b')));
            case "r" -> new HistoryEntry.Ranged(uid, at, NodeRange.of(text(byName, 'i', RANGE_BYTES)));
            case "l" -> new HistoryEntry.Reaped(uid, at, session(byName), losses(byName));
            case "d" -> new HistoryEntry.Deleted(uid, at);
            case "e" -> new HistoryEntry.Ended(uid, at, end(byName));
            default -> throw MalformedEntryException.newer("no entry is of kind " + printable(kind));
        };
    }

    private static Map<Character, byte[]> byName(List<byte[]> fields) throws MalformedEntryException {
        if (fields.size() % 2 != 0 || fields.size() > 64) {
            throw new MalformedEntryException(fields.size() + " names and values");
        }
        Map<Character, byte[]> byName = new LinkedHashMap<>();
        for (int i = 0; i < fields.size(); i += 2) {
            // Other names are a newer writer's: it would raise a version if an older reader must not pass over them.
            if (fields.get(i).length == 1) {
                byName.put((char) (fields.get(i)[0] & 0xff), fields.get(i + 1));
            }
        }
        return byName;
    }

    private static HistoryEntry step(Map<Character, byte[]> fields, String uid, long at)
            throws MalformedEntryException {
        HistoryEntry.Source source = switch (text(fields, 'q', 8)) {
            case "s" -> HistoryEntry.Source.SET;
            case "q" -> HistoryEntry.Source.QUEUE;
            case "c" -> HistoryEntry.Source.CHUNKS;
            default -> throw MalformedEntryException.newer("a source of work that is not known");
        };
        String verdicts = text(fields, 'v', HistoryBounds.ROWS);
        return new HistoryEntry.Step(
                uid, at, source, session(fields), number(fields, 'c'), verdicts, bytes(fields, 'r'));
    }

    /** Whether the run had ended before a settlement with this verdict: its row is that of a cancelled trial. */
    public static boolean cancelled(char verdict) {
        return verdict == ENDED_BEFORE;
    }

    /** Whether another worker had finished the task before a settlement with this verdict. */
    public static boolean superseded(char verdict) {
        return verdict == SUPERSEDED;
    }

    /** Whether a settlement with this verdict has its row counted. */
    public static boolean counts(char verdict) {
        return COUNTED.indexOf(verdict) >= 0;
    }

    private static List<Loss> losses(Map<Character, byte[]> fields) throws MalformedEntryException {
        List<Loss> losses = new ArrayList<>();
        String ids = text(fields, 'i', HistoryBounds.LOSSES * 80);
        if (ids.isEmpty()) {
            return losses;
        }
        for (String id : ids.split(" ", HistoryBounds.LOSSES + 1)) {
            String[] parts = id.split(":", 4);
            if (parts.length != 3 || losses.size() == HistoryBounds.LOSSES) {
                throw new MalformedEntryException("i has no losses");
            }
            int trial = (int) ByteReader.decimal(parts[1], HistoryBounds.TRIAL, "i");
            boolean ended = parts[2].equals("c");
            if (parts[0].startsWith("=")) {
                String name = printableId(parts[0].substring(1));
                losses.add(parts[2].equals("f") ? Loss.earlier(name, trial) : Loss.of(name, trial, ended));
            } else {
                losses.add(new Loss(ByteReader.decimal(parts[0], HistoryBounds.TASK, "i"), trial, ended));
            }
        }
        return losses;
    }

    private static String printableId(String id) throws MalformedEntryException {
        if (!QUEUE_ID.matcher(id).matches()) {
            throw new MalformedEntryException("i has no id");
        }
        return id;
    }

    private static RunEnd end(Map<Character, byte[]> fields) throws MalformedEntryException {
        RunEnd.Status status = RunEnd.Status.of(text(fields, 'z', 16));
        String[] words = text(fields, 'c', 300).split(" ", RunEnd.NUMBERS + 1);
        if (words.length != RunEnd.NUMBERS) {
            throw new MalformedEntryException("c has " + words.length + " counters");
        }
        long[] n = new long[RunEnd.NUMBERS];
        for (int i = 0; i < n.length; i++) {
            n[i] = ByteReader.decimal(words[i], HistoryBounds.NUMBER, "c");
        }
        String reason = text(fields, 'q', HistoryBounds.REASON_BYTES);
        String message = text(fields, 'm', HistoryBounds.NAME_BYTES);
        long started = number(fields, 'a');
        return new RunEnd(
                status,
                reason.isEmpty() ? Optional.empty() : Optional.of(reason),
                message.isEmpty() ? Optional.empty() : Optional.of(message),
                started == 0 ? Optional.empty() : Optional.of(started),
                n[0],
                n[1],
                n[2],
                n[3],
                n[4],
                n[5],
                n[6],
                n[7]);
    }

    private static String session(Map<Character, byte[]> fields) throws MalformedEntryException {
        return identifier(text(fields, 's', HistoryBounds.ID_BYTES), "s");
    }

    private static byte[] bytes(Map<Character, byte[]> fields, char name) throws MalformedEntryException {
        byte[] value = fields.get(name);
        if (value == null) {
            throw new MalformedEntryException("there is no field " + name);
        }
        if (value.length > HistoryBounds.FIELD_BYTES) {
            throw new MalformedEntryException(name + " has " + value.length + " bytes");
        }
        return value;
    }

    private static String text(Map<Character, byte[]> fields, char name, int most) throws MalformedEntryException {
        return ByteReader.utf8(bytes(fields, name), most, "" + name);
    }

    private static long number(Map<Character, byte[]> fields, char name) throws MalformedEntryException {
        return ByteReader.decimal(text(fields, name, ByteReader.DIGITS), HistoryBounds.NUMBER, "" + name);
    }

    /** An id of letters, digits and a few signs. */
    static String identifier(String id, String name) throws MalformedEntryException {
        if (id.isEmpty() || !id.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new MalformedEntryException(name + " is no id");
        }
        return id;
    }

    private static String source(HistoryEntry.Source source) {
        return switch (source) {
            case SET -> "s";
            case QUEUE -> "q";
            case CHUNKS -> "c";
        };
    }

    private static String printable(String text) {
        return text.chars().allMatch(c -> c > ' ' && c < 127) ? text : Arrays.toString(text(text));
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
