package dev.quiver.lifecycle.task.keys;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.execution.Effects;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.KeyspaceHealth;
import dev.quiver.lifecycle.redis.Script;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.task.commands.TaskCommands;
import dev.quiver.lifecycle.task.model.LeftUndo;
import dev.quiver.lifecycle.task.model.OnceName;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNodeJson;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.producer.TaskEvents;
import dev.quiver.lifecycle.task.producer.TaskProducer;
import dev.quiver.lifecycle.task.results.ComplexStates;
import dev.quiver.lifecycle.task.results.ResultPages;
import dev.quiver.lifecycle.task.rows.Lending;
import dev.quiver.lifecycle.task.rows.SubmitCall;
import dev.quiver.lifecycle.task.scheduling.Boosts;
import dev.quiver.lifecycle.task.scheduling.Resources;
import dev.quiver.lifecycle.task.work.EffectsAnswer;

/**
 * The parts that programs in other languages call: keys, scripts, records. The Python client reads the committed
 * description, and its tests compare their records with those of the samples.
 */
class ClientCallsTest {
    private static final Path PYTHON = Path.of("../../worker-image/sdk/python");
    private static final Path CALLS = PYTHON.resolve("src/quiver/clients/calls.json");
    private static final Path SAMPLES = PYTHON.resolve("tests/trees.json");
    private static final Path UNDOS = PYTHON.resolve("tests/undos.json");
    private static final String MENDING = "mvn -q test -pl operator/lifecycle -Dtest=ClientCallsTest -Dcalls.write";
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    private static final List<Script> CALLED = List.of(
            TaskScripts.SUBMIT,
            TaskScripts.CONTROL,
            TaskScripts.UNDO,
            TaskScripts.EVENTS,
            TaskScripts.RUN_COMMANDS,
            TaskScripts.RESULTS,
            TaskScripts.BOOST,
            TaskScripts.GATE,
            TaskScripts.RESOURCES,
            TaskScripts.STATE);

    /** Nodes as programs write them. */
    private static final String TREES = """
            [
              {"handler": "resize", "args": ["photo.png", 7, null, 1.5, "é\\u2028\\"", {"a": []}]},
              {"handler": "f", "args": [], "name": "n", "pool": "large", "maxTrials": 9, "total": 4,
               "backoff": {"initialSeconds": 5, "factor": 2, "maxSeconds": 60, "jitterPercent": 10},
               "env": {"A": "b"}, "activeDeadlineSeconds": 30},
              {"command": ["convert", "/a b"], "args": ["x"], "workingDir": "/w", "backoff": {}},
              {"chain": []},
              {"chain": [
                {"handler": "fetch", "args": ["u"]},
                {"group": [{"handler": "page", "args": [0], "total": 3}, {"chain": [{"handler": "page", "args": [1]}]}],
                 "window": 1, "onChildError": "Continue", "activeDeadlineSeconds": 5, "name": "pages"},
                {"handler": "merge", "args": ["$(results.fetch)", "$(results.pages)", "a $(results.fetch)"]}]},
              {"chain": [{"handler": "list"},
                {"forEach": {"chain": [{"handler": "load", "pool": "large"},
                    {"forEach": {"command": ["store"], "name": "store"}, "onChildError": "Continue"},
                    {"handler": "close", "args": ["$(results.load)", "$(results.list)"]}]},
                 "window": 7, "activeDeadlineSeconds": 60, "name": "each"},
                {"handler": "merge", "args": ["$(results.each)"]}]},
              {"handler": "f", "relPriority": -7, "tags": ["view:b", "a", "b"], "fairnessKey": "acme"},
              {"handler": "f", "fairnessKey": "acme"},
              {"handler": "f", "args": [1], "plan": true, "activeDeadlineSeconds": 9},
              {"handler": "f", "plan": true, "undo": true},
              {"chain": [{"handler": "f", "plan": true, "args": ["$(results.g)"]}, {"handler": "g"},
                {"forEach": {"handler": "h", "plan": true}}], "undo": true},
              {"handler": "f", "plan": true, "contingency": true},
              {"chain": [{"handler": "f", "contingency": true}, {"handler": "g"}], "relPriority": 2},
              {"handler": "f", "complexKey": "0", "args": [1], "undo": true, "planSeconds": 9},
              {"chain": [{"handler": "f", "plan": true, "complexKey": "a/b"}, {"handler": "g"}],
               "resources": ["online"], "tags": ["t"], "fairnessKey": "k"},
              {"chain": [{"handler": "f", "plan": true, "planSeconds": 60, "tags": ["a"]}, {"handler": "g", "plan": false},
                {"forEach": {"handler": "h", "plan": true}}]},
              {"chain": [
                {"handler": "f"},
                {"group": [{"handler": "f", "relPriority": -1}, {"handler": "g", "tags": ["c"], "relPriority": 9}]},
                {"chain": [{"handler": "f", "tags": ["d"]}, {"forEach": {"handler": "f", "relPriority": 3}}]},
                {"handler": "f", "relPriority": 5}],
               "tags": ["above"], "fairnessKey": "k"}
            ]
            """;

    /** Samples of lists that plans of a composite left: pool, key of fairness or an empty text, and tasks. */
    private static final String LEFT = """
            [
              [["p", "", [{"handler": "back", "args": [1]}]]],
              [["p", "acme", [{"handler": "back"}, {"command": ["rm", "/a"], "fairnessKey": "own"}]]],
              [["p", "", [{"handler": "first", "plan": true, "undo": true}]],
               ["large", "k", [{"chain": [{"handler": "read", "name": "r"}, {"handler": "write", "args": ["$(results.r)", "a"]}]}]],
               ["p", "", [{"handler": "last", "relPriority": 3, "tags": ["t"], "plan": true}]]],
              [["p", "", [{"chain": [{"handler": "f", "plan": true}, {"handler": "g"}], "undo": true},
                {"chain": [{"handler": "list"}, {"forEach": {"handler": "one", "args": ["$(results.list)"]}, "window": 2}]}]],
               ["p", "", [{"chain": [{"handler": "list"}, {"handler": "two", "args": ["$(results.list)"]}]}]]]
            ]
            """;

    private static ObjectNode calls() throws IOException {
        Keyspace keyspace = new Keyspace("quiver:{x}:");
        TaskKeys keys = new TaskKeys(keyspace);
        TaskScriptKeys names = TaskScriptKeys.ofProducer(keyspace, "%s");
        ObjectNode calls = JSON.createObjectNode();
        calls.put("made by", MENDING);
        calls.put("layout", KeyspaceHealth.SCHEMA);
        calls.put("calls", KeyspaceHealth.CALLS);
        calls.set(
                "codes",
                JSON.valueToTree(Stream.of(ScriptCode.values()).map(Enum::name).toList()));
        Map<String, String> read = new LinkedHashMap<>();
        read.put("meta", keyspace.meta());
        read.put("nodes", keys.nodes());
        read.put("results", keys.results());
        read.put("roots", keys.roots());
        read.put("names", keys.names());
        read.put("events", keys.events());
        read.put("pool", keyspace.pool("%s"));
        read.replaceAll((name, key) -> relative(keyspace, key));
        calls.set("keys", JSON.valueToTree(read));
        calls.set(
                "queue",
                JSON.valueToTree(keys.queue("POOL").stream()
                        .map(key -> relative(keyspace, key).replace("POOL", "%s"))
                        .toList()));
        ObjectNode scripts = calls.putObject("scripts");
        for (Script script : CALLED) {
            ObjectNode described = scripts.putObject(script.name().substring("task/".length()));
            described.put("function", "_" + script.name().replace('/', '_'));
            described.set(
                    "keys",
                    JSON.valueToTree(script.keys().stream()
                            .map(name -> relative(keyspace, names.key(name)))
                            .toList()));
            described.put("queues", script.restKey().isPresent());
            List<String> arguments = new ArrayList<>(script.arguments());
            script.restArgument().ifPresent(rest -> arguments.add(rest + "..."));
            described.set("arguments", JSON.valueToTree(arguments));
            described.set("returns", JSON.valueToTree(script.elements(ScriptCode.OK)));
        }
        ObjectNode records = calls.putObject("records");
        List<String> leaf = written("nodes", "return 'L\\\\t'", "n");
        leaf.addFirst("kind");
        records.set("leaf", JSON.valueToTree(leaf));
        records.set("composite", JSON.valueToTree(written("nodes", "return n\\.kind", "n")));
        records.set("tree", JSON.valueToTree(written("roots", "return facts\\.keep", "facts")));
        Map<String, String> states = new TreeMap<>();
        for (char letter : "wislrfx".toCharArray()) {
            states.put(String.valueOf(letter), TreeState.State.of(letter).name().toLowerCase(java.util.Locale.ROOT));
        }
        calls.set("states", JSON.valueToTree(states));
        ObjectNode limits = calls.putObject("limits");
        limits.put("nodes", SubmitCall.NODES);
        limits.put("bytes", SubmitCall.BYTES);
        limits.put("pools", TaskKeys.POOLS_OF_CALL);
        limits.put("commands", TaskCommands.COMMANDS);
        limits.put("remembered", TaskProducer.REMEMBERED.toMillis());
        limits.put("depth", TreeNodeJson.DEPTH);
        limits.put("maxTrials", TreeNode.MOST_TRIALS);
        limits.put("children", TreeNode.MAX_CHILDREN);
        limits.put("handler", Execution.Handler.MAX_BYTES);
        limits.put("plan", TaskBody.PLAN_SECONDS);
        limits.put("planSeconds", TaskBody.MOST_PLAN_SECONDS);
        limits.put("result", TaskResult.MAX_BYTES);
        limits.put("name", OnceName.MOST_CHARS);
        limits.put("tree", TaskTree.MOST_NODES);
        limits.put("template", TaskTree.MOST_OF_TEMPLATE);
        limits.put("page", ResultPages.CALL_BYTES);
        limits.put("relPriority", Rank.MOST_PRIORITY);
        limits.put("tags", Rank.MOST_TAGS);
        limits.put("tag", Rank.NAME_BYTES);
        limits.put("lenders", Lending.MOST);
        limits.put("groups", Rank.MOST_LENDERS);
        limits.put("lent", Rank.LENT_BYTES);
        limits.put("boosts", Boosts.MOST_TAGS);
        limits.put("boost", Boosts.MOST);
        limits.put("resources", Rank.MOST_RESOURCES);
        limits.put("resourcesRead", Resources.MOST_READ);
        limits.put("brought", EffectsAnswer.MOST_TASKS);
        limits.put("broughtBytes", Effects.MOST_TASK_BYTES);
        limits.put("undoBytes", EffectsAnswer.MOST_UNDO_BYTES);
        limits.put("stateBytes", ComplexStates.MOST_BYTES);
        limits.put("eventsLease", TaskEvents.LONGEST_LEASE.toMillis());
        return calls;
    }

    private static String relative(Keyspace keyspace, String key) {
        assertThat(key).startsWith(keyspace.prefix());
        return key.substring(keyspace.prefix().length());
    }

    /** The fields of a record in their order, from the function that writes it. */
    private static List<String> written(String module, String beginning, String table) throws IOException {
        try (InputStream in =
                Script.class.getResourceAsStream("/dev/quiver/lifecycle/lua/include/task/" + module + ".lua")) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            Matcher found =
                    Pattern.compile(beginning + ".*?\n *end\\b", Pattern.DOTALL).matcher(text);
            assertThat(found.find()).as(beginning).isTrue();
            List<String> names = new ArrayList<>();
            Pattern.compile("\\b" + table + "\\.(\\w+)")
                    .matcher(found.group())
                    .results()
                    .forEach(name -> names.add(name.group(1)));
            names.remove("rest");
            return names;
        }
    }

    private static ArrayNode samples() throws IOException {
        ArrayNode samples = JSON.createArrayNode();
        for (JsonNode node : JSON.readTree(TREES)) {
            TaskTree tree = new TaskTree(
                    "T",
                    new TreeNodeJson("shared").read("task", node),
                    Optional.empty(),
                    false,
                    Optional.empty(),
                    Duration.ZERO,
                    Optional.of(Duration.ofHours(1)));
            ObjectNode sample = samples.addObject();
            sample.set("node", node);
            SubmitCall call = SubmitCall.of(List.of(tree)).getFirst();
            sample.set("trees", JSON.valueToTree(call.trees()));
            sample.set("pools", JSON.valueToTree(call.pools()));
        }
        return samples;
    }

    private static ArrayNode undos() throws IOException {
        ArrayNode samples = JSON.createArrayNode();
        for (JsonNode lists : JSON.readTree(LEFT)) {
            StringBuilder left = new StringBuilder();
            for (JsonNode list : lists) {
                ObjectNode line = new ObjectMapper().createObjectNode();
                line.put("at", "1000").put("node", "1").put("pool", list.get(0).textValue());
                line.put("share", list.get(1).textValue())
                        .put("tasks", list.get(2).toString());
                left.append(line).append('\n');
            }
            TaskTree tree = new TaskTree(
                    "T",
                    LeftUndo.read(left.toString(), Rank.NONE).tree(),
                    Optional.empty(),
                    false,
                    Optional.empty(),
                    Duration.ZERO,
                    Optional.of(Duration.ofHours(1)));
            SubmitCall call = SubmitCall.of(List.of(tree)).getFirst();
            ObjectNode sample = samples.addObject();
            sample.put("left", left.toString());
            sample.set("trees", JSON.valueToTree(call.trees()));
            sample.set("pools", JSON.valueToTree(call.pools()));
        }
        return samples;
    }

    private static void check(Path file, JsonNode made) throws IOException {
        String text = JSON.writeValueAsString(made) + "\n";
        if (System.getProperty("calls.write") != null) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        }
        assertThat(Files.exists(file) && Files.readString(file).equals(text))
                .as(
                        "%s is not what the scripts say; raise KeyspaceHealth.CALLS if it was released, and: %s",
                        file, MENDING)
                .isTrue();
    }

    @Test
    void committedDescriptionIsWhatTheScriptsSay() throws IOException {
        check(CALLS, calls());
    }

    @Test
    void committedSamplesAreWhatJavaWrites() throws IOException {
        check(SAMPLES, samples());
        check(UNDOS, undos());
    }
}
