package dev.quiver.lifecycle.history;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The facts of a run when it is opened. The namespace is not among them: it is the keyspace's.
 *
 * @param kind of the resource
 * @param name of the resource, 1 to 253 characters
 * @param namespaceUid uid of the namespace at that time; tells one from another of the same name
 * @param runClass runs of one class have one memory; of a schedule's firings its name
 * @param pool whose workers run it
 * @param parentRun uid of the run that made it
 * @param parentTask number of the task there
 * @param firedAt when the schedule was due, milliseconds since 1970
 * @param createdAt of the resource, milliseconds since 1970
 * @param tasks how many it has, 0 where nobody knows yet
 * @param sourceHash of the names of its tasks; runs of the same hash have the same tasks
 * @param keepDays days for which the record is kept, narrower than the installation's; 0: as that
 * @param keepRuns runs of the class that are kept; 0: as the installation keeps
 * @param forgetOnDelete whether the record goes with the resource
 * @param labels of the resource, at most {@link HistoryBounds#LABELS}; kept in the order of their names
 * @param spec JSON of the specification without its list of tasks, at most {@link HistoryBounds#SPEC_BYTES}
 */
public record RunOpening(
        RunKind kind,
        String name,
        String namespaceUid,
        Optional<String> runClass,
        String pool,
        Optional<String> parentRun,
        long parentTask,
        Optional<Long> firedAt,
        long createdAt,
        long tasks,
        Optional<String> sourceHash,
        int keepDays,
        int keepRuns,
        boolean forgetOnDelete,
        Map<String, String> labels,
        byte[] spec) {

    private static final int VERSION = 1;
    private static final int DAYS = 100_000;
    /** The length of a time in ISO 8601 up to the hour. */
    private static final int HOUR_CHARACTERS = 13;

    /** All present. */
    public RunOpening {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(spec, "spec");
        labels = Collections.unmodifiableMap(new TreeMap<>(labels)); // so that a repeat writes the same bytes
        if (labels.size() > HistoryBounds.LABELS || spec.length > HistoryBounds.SPEC_BYTES) {
            throw new IllegalArgumentException(labels.size() + " labels, a specification of " + spec.length + " bytes");
        }
    }

    /** One of that kind and name and nothing else. */
    public static RunOpening of(RunKind kind, String name, long createdAt, long tasks) {
        return new RunOpening(
                kind,
                name,
                "",
                Optional.empty(),
                "",
                Optional.empty(),
                0,
                Optional.empty(),
                createdAt,
                tasks,
                Optional.empty(),
                0,
                0,
                false,
                Map.of(),
                new byte[0]);
    }

    /** The same in the namespace of this uid. */
    public RunOpening within(String uid) {
        return new RunOpening(
                kind,
                name,
                uid,
                runClass,
                pool,
                parentRun,
                parentTask,
                firedAt,
                createdAt,
                tasks,
                sourceHash,
                keepDays,
                keepRuns,
                forgetOnDelete,
                labels,
                spec);
    }

    /** The same on the workers of this pool. */
    public RunOpening on(String itsPool) {
        return new RunOpening(
                kind,
                name,
                namespaceUid,
                runClass,
                itsPool,
                parentRun,
                parentTask,
                firedAt,
                createdAt,
                tasks,
                sourceHash,
                keepDays,
                keepRuns,
                forgetOnDelete,
                labels,
                spec);
    }

    /** The same in a class, with the hash of its tasks' names. */
    public RunOpening in(String itsClass, String hash) {
        return new RunOpening(
                kind,
                name,
                namespaceUid,
                Optional.of(itsClass),
                pool,
                parentRun,
                parentTask,
                firedAt,
                createdAt,
                tasks,
                Optional.of(hash),
                keepDays,
                keepRuns,
                forgetOnDelete,
                labels,
                spec);
    }

    /**
     * The same as the run of a schedule, which is its class.
     *
     * @param schedule uid of the schedule
     * @param itsName of the run
     * @param due when the run was to begin
     */
    public RunOpening firing(String schedule, String itsName, Instant due) {
        return new RunOpening(
                kind,
                itsName,
                namespaceUid,
                Optional.of(name),
                pool,
                Optional.of(schedule),
                parentTask,
                Optional.of(due.toEpochMilli()),
                due.toEpochMilli(),
                tasks,
                sourceHash,
                keepDays,
                keepRuns,
                forgetOnDelete,
                labels,
                spec);
    }

    /**
     * The same as the run of an hour: its name has the hour behind it, in UTC.
     *
     * @param at when the run began, milliseconds since 1970
     */
    public RunOpening inHour(long at) {
        Instant hour = Instant.ofEpochMilli(at).truncatedTo(ChronoUnit.HOURS);
        return new RunOpening(
                kind,
                name + "-" + hour.toString().substring(0, HOUR_CHARACTERS),
                namespaceUid,
                runClass,
                pool,
                parentRun,
                parentTask,
                firedAt,
                at,
                tasks,
                sourceHash,
                keepDays,
                keepRuns,
                forgetOnDelete,
                labels,
                spec);
    }

    /** The body of its entry. */
    public byte[] encode() {
        ByteWriter to = new ByteWriter(256 + spec.length).put(VERSION).put(kind.ordinal());
        to.text(name, HistoryBounds.NAME_BYTES).text(namespaceUid, HistoryBounds.ID_BYTES);
        to.text(runClass.orElse(""), HistoryBounds.NAME_BYTES).text(pool, HistoryBounds.NAME_BYTES);
        to.text(parentRun.orElse(""), HistoryBounds.ID_BYTES).number(parentTask);
        to.number(firedAt.orElse(0L)).number(createdAt).number(tasks);
        to.text(sourceHash.orElse(""), HistoryBounds.ID_BYTES);
        to.number(keepDays).number(keepRuns).put(forgetOnDelete ? 1 : 0).number(labels.size());
        labels.forEach(
                (label, value) -> to.text(label, HistoryBounds.NAME_BYTES).text(value, HistoryBounds.NAME_BYTES));
        return to.bytes(spec).toBytes();
    }

    /**
     * The opening of a body.
     *
     * @throws MalformedEntryException for anything that breaks the format
     */
    public static RunOpening decode(byte[] body) throws MalformedEntryException {
        ByteReader from = new ByteReader(body);
        from.version(VERSION, "an opening");
        RunKind kind = RunKind.of(from.octet());
        String name = from.text(HistoryBounds.NAME_BYTES, "name");
        String namespaceUid = from.text(HistoryBounds.ID_BYTES, "namespace uid");
        Optional<String> runClass = from.optionalText(HistoryBounds.NAME_BYTES, "class");
        String pool = from.text(HistoryBounds.NAME_BYTES, "pool");
        Optional<String> parentRun = from.optionalText(HistoryBounds.ID_BYTES, "parent run");
        long parentTask = from.number(HistoryBounds.TASK, "parent task");
        Optional<Long> firedAt = from.time();
        long createdAt = from.number(HistoryBounds.NUMBER, "created at");
        long tasks = from.number(HistoryBounds.TASK, "tasks");
        Optional<String> hash = from.optionalText(HistoryBounds.ID_BYTES, "source hash");
        int keepDays = from.count(DAYS, "days");
        int keepRuns = from.count(Integer.MAX_VALUE, "runs");
        boolean forget = from.octet() == 1;
        int count = from.count(HistoryBounds.LABELS, "labels");
        Map<String, String> labels = new java.util.HashMap<>();
        for (int i = 0; i < count; i++) {
            String label = from.text(HistoryBounds.NAME_BYTES, "label");
            labels.put(label, from.text(HistoryBounds.NAME_BYTES, "value"));
        }
        byte[] spec = from.bytes(HistoryBounds.SPEC_BYTES, "spec");
        from.end("an opening");
        return new RunOpening(
                kind,
                name,
                namespaceUid,
                runClass,
                pool,
                parentRun,
                parentTask,
                firedAt,
                createdAt,
                tasks,
                hash,
                keepDays,
                keepRuns,
                forget,
                labels,
                spec);
    }
}
