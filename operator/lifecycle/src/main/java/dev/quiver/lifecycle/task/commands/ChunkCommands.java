package dev.quiver.lifecycle.task.commands;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;

import dev.quiver.lifecycle.execution.RawJson;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.OrdinalRemoval;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.Script;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.chunks.ChunkFeed;
import dev.quiver.lifecycle.task.chunks.ChunkPage;
import dev.quiver.lifecycle.task.chunks.ChunkTasks;
import dev.quiver.lifecycle.task.chunks.MemoryRefusal;
import dev.quiver.lifecycle.task.keys.ChunkKeys;
import dev.quiver.lifecycle.task.keys.ChunkScripts;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.Chunks;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskDocument;
import dev.quiver.lifecycle.task.results.TaskResults;
import dev.quiver.lifecycle.task.rows.NodeRecord;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.RedisWorkerSessions;
import dev.quiver.lifecycle.worker.SessionKeys;

/** Runs the commands about chunks: the script that meets one cannot declare the keys of their source. */
record ChunkCommands(RedisStore store, Keyspace keyspace) {

    private static final Set<String> KINDS = Set.of("begin", "follow", "remove");

    private static final int RECORD_BYTES = 4096;

    private static final String FAN_IN = "fan_in";
    private static final String RECORDED = "recorded";

    /** Losses that end a chunk or a combine. */
    private static final String MAX_LOST = "3";

    /** A node with chunks as it is stored. */
    private record Node(NodeRecord record, TaskBody body, String document) {

        ChunkWork work() {
            return body.chunks()
                    .orElseThrow(() -> new IllegalArgumentException("node " + body.name() + " has no chunks"));
        }
    }

    /** Bytes of an input whose elements are chunks at most. */
    private static final long INPUT_BYTES = 4 << 20;

    /** Whether a command is one of these. */
    static boolean is(String command) {
        int tab = command.indexOf('\t');
        return tab > 0 && KINDS.contains(command.substring(0, tab));
    }

    /**
     * Runs a command.
     *
     * @return the commands that may run now; absent where it was not run
     */
    Optional<List<String>> run(String command, CallBudget budget) {
        String[] fields = command.split("\t", -1);
        if (fields.length < 4 || !TaskKeys.isNode(fields[1]) || !TaskKeys.isPool(fields[3]) || !budget.take(3)) {
            return Optional.empty();
        }
        ChunkKeys keys = new ChunkKeys(keyspace, fields[1]);
        SessionKeys worker = SessionKeys.ofPool(keyspace, fields[3]);
        return switch (fields[0]) {
            case "begin" -> begin(command, fields[2], keys, worker);
            case "follow" ->
                taken(call(ChunkScripts.FOLLOW, keys, worker, List.of(command, keys.node(), keys.source())), "");
            default -> remove(command, keys, worker);
        };
    }

    /** The data of the command names what the node has as its input; it is empty for none. */
    private Optional<List<String>> begin(String command, String from, ChunkKeys keys, SessionKeys worker) {
        String commands = keyspace.commands();
        if (store.ask(redis -> redis.zscore(commands, command).thenApply(Optional::ofNullable))
                .isEmpty()) {
            return Optional.empty(); // another process has run it
        }
        List<String> arguments =
                new ArrayList<>(List.of(command, keys.node(), keys.source(), worker.pool(), nextPool(keys.node())));
        Map<String, String> shared = Map.of();
        String fault;
        try {
            Node node = read(keys.node()).orElseThrow(() -> new IllegalArgumentException("its document is missing"));
            shared = shared(node);
            fault = fed(node, keys.node(), from);
        } catch (IllegalArgumentException
                | IllegalStateException
                | IndexOutOfBoundsException
                | NullPointerException unreadable) {
            fault = "the node cannot be read: " + unreadable.getMessage();
        }
        arguments.add(fault);
        arguments.add(shared.containsKey(RECORDED) ? Long.toString(ChunkTasks.firstOf(keys.node())) : "");
        arguments.add(shared.getOrDefault(FAN_IN, "0"));
        shared.forEach((name, value) -> {
            arguments.add(name);
            arguments.add(value);
        });
        ScriptReply reply = call(ChunkScripts.BEGIN, keys, worker, arguments);
        return taken(reply, reply.text("next"));
    }

    /** Brings the chunks of a node that no task brings; answers why that cannot be, or nothing. */
    private String fed(Node node, String id, String from) {
        try {
            return chunks(node.work(), id, from)
                    .map(chunks -> fed(ChunkPage.all(chunks), id))
                    .orElse("");
        } catch (IllegalArgumentException invalid) {
            return invalid.getMessage();
        }
    }

    private String fed(ChunkPage page, String id) {
        ChunkFeed feed = new ChunkFeed(store, keyspace, id);
        try {
            feed.bring(page, Optional.empty());
            return "";
        } catch (StoreRefusedException refused) {
            if (refused.kind() != StoreRefusedException.Kind.OUT_OF_MEMORY) {
                throw refused;
            }
            long bytes = page.chunks().stream().mapToLong(Utf8::length).sum();
            return feed.discard(page, Optional.empty(), "Redis has no memory for the chunks; they come later")
                    .filter(MemoryRefusal::isFinal)
                    .map(no -> no.words(page.chunks().size(), bytes))
                    .orElseThrow(() -> refused);
        }
    }

    /** The chunks of a node's document, or the elements of its input. */
    private Optional<List<String>> chunks(ChunkWork work, String id, String from) {
        if (work.elements().isPresent()) {
            return work.elements()
                    .map(all ->
                            Chunks.checked(all.stream().map(JsonNode::toString).toList(), ChunkWork.MOST_CHUNKS));
        }
        if (!work.ofInput()) {
            return Optional.empty();
        }
        if (from.isEmpty()) {
            throw new IllegalArgumentException("there is no result before it whose elements are its chunks");
        }
        int space = from.indexOf(' ');
        String of = TreeIds.node(TaskKeys.treeOf(id), Long.parseLong(from.substring(0, space)));
        String input = new TaskResults(store, keyspace).json(of, from.substring(space + 1), INPUT_BYTES);
        return Optional.of(
                Chunks.checked(RawJson.elements("the elements of the result before it", input), ChunkWork.MOST_CHUNKS));
    }

    /** The common part of all chunks of a node, as fields of their source. */
    private static Map<String, String> shared(Node node) {
        ChunkWork work = node.work();
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("spec", node.document());
        fields.put("handler", node.body().handler().orElse(""));
        fields.put("max_trials", Integer.toString(node.record().maxTrials()));
        fields.put("max_lost", MAX_LOST);
        fields.put(FAN_IN, work.combine().isPresent() ? Integer.toString(work.fanIn()) : "0");
        fields.put("combine_trials", Integer.toString(work.combineTrials()));
        fields.put("skips", work.skips() ? "1" : "0");
        fields.put("results_size", Long.toString(work.resultsSize()));
        node.body().recording().ifPresent(_ -> fields.put(RECORDED, "c"));
        return fields;
    }

    private Optional<Node> read(String id) {
        TaskKeys keys = new TaskKeys(keyspace);
        return field(keys.nodes(), id, RECORD_BYTES).map(NodeRecord::parse).flatMap(record -> {
            String body = record.bodyOf(TaskKeys.treeOf(id), id);
            return field(keys.body(), body, ChunkKeys.DOCUMENT_BYTES)
                    .map(document -> new Node(record, TaskDocument.read(document), document));
        });
    }

    private Optional<String> field(String hash, String field, int most) {
        return new BoundedReads(store).fields(hash, most, field).getFirst();
    }

    /** The pool of the task that follows in the chain, so that the end of the chunks starts it in one call. */
    private String nextPool(String id) {
        try {
            return field(new TaskKeys(keyspace).nodes(), TaskKeys.following(id), RECORD_BYTES)
                    .map(NodeRecord::parse)
                    .map(NodeRecord::pool)
                    .filter(TaskKeys::isPool)
                    .orElse("");
        } catch (IllegalArgumentException unreadable) {
            return ""; // it only saves a call
        }
    }

    private Optional<List<String>> remove(String command, ChunkKeys keys, SessionKeys worker) {
        ScriptReply reply = new OrdinalRemoval(store, keyspace).remove(keys.keys(), (theirKeys, sessions) -> {
            List<String> arguments = new ArrayList<>(
                    List.of(command, keys.source(), Integer.toString(RedisWorkerSessions.MOST_SESSIONS)));
            arguments.addAll(sessions);
            return store.run(
                    ChunkScripts.REMOVE,
                    ChunkScripts.REMOVE.keys(name -> keys.key(worker, name), theirKeys),
                    arguments.toArray(String[]::new));
        });
        return taken(reply, "");
    }

    private ScriptReply call(Script script, ChunkKeys keys, SessionKeys worker, List<String> arguments) {
        return store.run(
                script, script.keys(name -> keys.key(worker, name), List.of()), arguments.toArray(String[]::new));
    }

    private static Optional<List<String>> taken(ScriptReply reply, String more) {
        return switch (reply.code()) {
            case OK -> reply.flag("taken") ? Optional.of(more.isEmpty() ? List.of() : List.of(more)) : Optional.empty();
            default -> throw reply.unexpected();
        };
    }
}
