package dev.quiver.lifecycle.task.schedule;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import dev.quiver.lifecycle.cron.CronTimes;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.history.RunNames;
import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.task.commands.RecordCommands;
import dev.quiver.lifecycle.task.commands.ScheduleFire;
import dev.quiver.lifecycle.task.commands.TaskCommands;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.OnceName;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeRecord;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.rows.NodeRecord;
import dev.quiver.lifecycle.task.rows.RootFacts;
import dev.quiver.lifecycle.task.rows.TreeRows;
import dev.quiver.lifecycle.task.tree.TaskTrees;
import dev.quiver.lifecycle.worker.CallBudget;

/**
 * The operator's side of schedules, under the leader's term. A schedule makes a tree {@code <uid>-<run>} each time; from
 * then on every upkeep fires it. Each call may be repeated. Thread-safe.
 */
public final class TaskSchedules {

    /** Nodes of one call at most. */
    private static final int NODES = 200;

    /** Bytes of one call at most, a single larger node aside. */
    private static final int BYTES = 64 * 1024;

    private static final int MOST_RUNS = 128;
    private static final int CALLS = 1000;
    private static final int LISTED = 2000;

    private final LeaderCalls calls;
    private final TaskCommands commands;

    /** The schedules of one keyspace. */
    public TaskSchedules(LeaderCalls calls) {
        this.calls = calls;
        this.commands = new TaskCommands(calls.store(), calls.keyspace());
    }

    /**
     * The state that a schedule goes on from if Redis does not have it.
     *
     * @param run number of the last run
     * @param missed runs that were missed
     */
    public record Before(long run, long missed) {
        /** The state of a schedule that begins. */
        public static final Before NONE = new Before(0, 0);
    }

    /**
     * Begins a schedule or changes it. Another cron or zone counts from now on; the next run is made of the present
     * template.
     *
     * @param template its id is that of the schedule; its delay and how long it stays do not count
     * @throws IllegalArgumentException for times that cannot be computed, naming the fault
     */
    public void put(ScheduleSpec spec, TaskTree template, Before before) {
        String uid = template.id();
        CronTimes times = CronTimes.of(spec.cron(), spec.zone());
        TreeRows rows = TreeRows.of(template.root(), template.atEnd())
                .recorded(template.record().map(TreeRecord::recording));
        List<String> nodes = rows.rows().stream()
                .map(row -> row.text() + "\n" + rows.document(row))
                .toList();
        String facts = rows.facts(new TaskTree(
                                uid,
                                template.root(),
                                template.atEnd(),
                                template.watched(),
                                template.deadline(),
                                Duration.ZERO,
                                Optional.empty())
                        .recorded(template.record()))
                .text();
        String version = version(facts, nodes);
        ScriptReply known = runs(uid, 0);
        if (known.code() == ScriptCode.GONE || !known.text("template").equals(version)) {
            bring(uid, version, nodes, recorded(template, rows));
        }
        Instant now = ScheduleFire.now(calls.store());
        Instant next = times.after(now)
                .orElseThrow(() -> new IllegalArgumentException("cron \"" + spec.cron() + "\" does not come any more"));
        calls.run(TaskScripts.SCHEDULE, keys(uid)::key, (Object[]) Stream.concat(
                        Stream.of(
                                uid,
                                Long.toString(next.toEpochMilli()),
                                version,
                                Long.toString(before.run()),
                                Long.toString(before.missed())),
                        fields(spec, template, facts, rows, times.after(next)).stream())
                .toArray(String[]::new));
    }

    private static List<String> fields(
            ScheduleSpec spec, TaskTree template, String facts, TreeRows rows, Optional<Instant> second) {
        return List.of(
                "cron",
                spec.cron(),
                "zone",
                spec.zone(),
                "deadline",
                spec.startingDeadline()
                        .map(Duration::toMillis)
                        .map(String::valueOf)
                        .orElse(""),
                "policy",
                spec.policy().word(),
                "suspended",
                spec.suspended() ? "1" : "0",
                "keep_succeeded",
                Integer.toString(spec.keepSucceeded()),
                "keep_failed",
                Integer.toString(spec.keepFailed()),
                "size",
                Integer.toString(rows.rows().size()),
                "facts",
                facts,
                "once",
                template.once().map(OnceName::text).orElse(""),
                "owner",
                template.owner(),
                "second_at",
                second.map(Instant::toEpochMilli).map(String::valueOf).orElse(""),
                "pools",
                String.join(
                        " ", rows.pools().stream().limit(TaskKeys.POOLS_OF_CALL).toList()));
    }

    /** The opening of its runs and the names of their nodes, by the ends of their fields' names. */
    private static Map<String, String> recorded(TaskTree template, TreeRows rows) {
        Map<String, String> fields = new LinkedHashMap<>();
        template.record().ifPresent(record -> {
            Base64.Encoder base64 = Base64.getEncoder();
            fields.put(
                    RecordCommands.field("", -1),
                    base64.encodeToString(record.opening().encode()));
            int page = 0;
            for (RunNames names : rows.named()) {
                fields.put(RecordCommands.field("", page++), base64.encodeToString(names.encode()));
            }
        });
        return fields;
    }

    private void bring(String uid, String version, List<String> nodes, Map<String, String> recorded) {
        if (!recorded.isEmpty()) {
            calls.run(
                    TaskScripts.TEMPLATE,
                    keys(uid)::key,
                    recorded.entrySet().stream()
                            .flatMap(field -> Stream.of(version + field.getKey(), field.getValue()))
                            .toArray());
        }
        List<String> piece = new ArrayList<>();
        int bytes = 0;
        for (int i = 0; i < nodes.size(); i++) {
            int size = Utf8.length(nodes.get(i));
            if (piece.size() == 2 * NODES || !piece.isEmpty() && bytes + size > BYTES) {
                calls.run(TaskScripts.TEMPLATE, keys(uid)::key, piece.toArray());
                piece.clear();
                bytes = 0;
            }
            piece.add(version + "." + i);
            piece.add(nodes.get(i));
            bytes += size;
        }
        calls.run(TaskScripts.TEMPLATE, keys(uid)::key, piece.toArray());
    }

    private static String version(String facts, List<String> nodes) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(facts.getBytes(StandardCharsets.UTF_8));
            nodes.forEach(node -> digest.update((node + "\0").getBytes(StandardCharsets.UTF_8)));
            return HexFormat.of().formatHex(digest.digest(), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** No run begins any more; those that are there stay. */
    public void stop(String uid) {
        end(uid, "stop");
    }

    /** Whether all runs that come due are missed; the rest of the schedule stays as it was put. */
    public void suspend(String uid, boolean suspended) {
        end(uid, suspended ? "suspend" : "resume");
    }

    /** Forgets the runs that ended, but so many of the latest as are to be kept. */
    public void tidy(String uid) {
        end(uid, "tidy");
    }

    /**
     * Deletes a schedule with all its runs.
     *
     * @param nodes of a run at most
     * @return whether it is gone; else call again
     */
    public boolean drop(String uid, long nodes) {
        end(uid, "drop");
        TaskTrees trees = new TaskTrees(calls);
        boolean gone = true;
        for (String tree : trees.present(uid + "-*")) {
            gone &= trees.drop(tree, nodes);
        }
        if (gone) {
            end(uid, "forget");
        }
        return gone;
    }

    private void end(String uid, String what) {
        ScriptReply reply = calls.run(TaskScripts.END_SCHEDULE, keys(uid)::key, uid, what);
        commands.run(Set.copyOf(reply.texts("commands")), new CallBudget(CALLS));
    }

    /** Those that have keys. Others, however many, cost time and no memory. */
    public Set<String> present(String form) {
        Set<String> found = new LinkedHashSet<>();
        String schedules = new TaskKeys(calls.keyspace()).schedules();
        String cursor = "0";
        int pages = 0;
        do {
            ScriptReply page = calls.store()
                    .run(TaskScripts.TREES, new String[] {schedules}, cursor, form, Integer.toString(LISTED));
            cursor = page.text("cursor");
            page.texts("ids").stream().filter(TaskKeys::isTree).forEach(found::add);
        } while (!cursor.equals("0") && ++pages < CALLS);
        return found;
    }

    /** A schedule with its runs, in one call; absent where it is not there. */
    public Optional<ScheduleReport> report(String uid) {
        ScriptReply reply = runs(TaskKeys.checkTree(uid), MOST_RUNS);
        return reply.code() == ScriptCode.GONE
                ? Optional.empty()
                : Optional.of(BoundedReads.understood("schedule " + uid, () -> read(uid, reply)));
    }

    private ScriptReply runs(String uid, int most) {
        return calls.store()
                .run(TaskScripts.RUNS, TaskScripts.RUNS.keys(keys(uid)::key, List.of()), uid, Integer.toString(most));
    }

    private static ScheduleReport read(String uid, ScriptReply reply) {
        List<ScheduleReport.Run> runs = new ArrayList<>();
        for (ScriptReply.Row row : reply.rows("runs")) {
            runs.add(run(uid, row));
        }
        Optional<Instant> succeeded = time(reply.text("succeeded_at"));
        for (ScheduleReport.Run run : runs) {
            if (run.succeeded()) {
                succeeded =
                        succeeded.filter(run.ended().orElseThrow()::isBefore).or(run::ended);
            }
        }
        return new ScheduleReport(
                Instant.ofEpochMilli(reply.number("now")),
                time(reply.text("next_at")),
                time(reply.text("last_at")),
                succeeded,
                Long.parseLong(reply.text("missed")),
                runs);
    }

    private static ScheduleReport.Run run(String uid, ScriptReply.Row row) {
        long number = Long.parseLong(row.text("number"));
        String tree = uid + "-" + number;
        RootFacts facts = RootFacts.parse(row.text("facts"));
        NodeRecord root = NodeRecord.parse(row.text("record"));
        Optional<NodeRecord> end =
                Optional.of(row.text("end")).filter(text -> !text.isEmpty()).map(NodeRecord::parse);
        String error = row.text("error");
        return new ScheduleReport.Run(
                number,
                tree,
                Instant.ofEpochMilli(Long.parseLong(row.text("due"))),
                facts.began(),
                facts.ended(),
                root.state(),
                root.state().isOver() ? end.map(NodeRecord::isSuspended).orElse(false) : root.isSuspended(),
                Optional.of(error)
                        .filter(text -> text.startsWith("E"))
                        .map(text -> NodeError.read(tree, text.substring(1)))
                        .filter(own -> own.trial() == 0)
                        .map(NodeError::reason)
                        .orElse(""),
                end.map(NodeRecord::state)
                        .filter(TreeState.State.FAILED::equals)
                        .isPresent());
    }

    private static Optional<Instant> time(String millis) {
        return Optional.of(millis)
                .filter(text -> !text.isEmpty())
                .map(text -> Instant.ofEpochMilli(Long.parseLong(text)));
    }

    private TaskScriptKeys keys(String uid) {
        return TaskScriptKeys.of(calls.keyspace(), TaskKeys.checkTree(uid));
    }
}
