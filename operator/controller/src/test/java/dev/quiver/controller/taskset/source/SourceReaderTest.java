package dev.quiver.controller.taskset.source;

import static dev.quiver.crds.v1alpha1.TaskSetReason.InputTooLarge;
import static dev.quiver.crds.v1alpha1.TaskSetReason.SourceInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import dev.quiver.crds.v1alpha1.ConfigMapKeyRef;
import dev.quiver.crds.v1alpha1.TaskInput;
import dev.quiver.crds.v1alpha1.TaskItem;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskTemplate;
import dev.quiver.crds.v1alpha1.TaskTemplateBuilder;

class SourceReaderTest {

    private static final TaskCheck COMMANDS = TaskCheck.of(TaskTemplate.ofCommand("true"), 1 << 20);
    private static final TaskCheck HANDLER = TaskCheck.of(TaskTemplate.ofHandler("resize"), 1000);

    @Test
    void linesAreTasksButForBlankOnesAndComments() {
        assertThat(SourceReader.lines(COMMANDS, "ConfigMap x, key y", "\uFEFFone\r\n\n  # no\n {\"name\":\"two\"} \n"))
                .isInstanceOfSatisfying(
                        SourceReader.Result.Read.class,
                        r -> assertThat(r.source().payloads()).containsExactly("one", "{\"name\":\"two\"}"));
    }

    @ParameterizedTest
    @MethodSource
    void whatIsNoTaskIsNamed(String text, String part) {
        assertThat(SourceReader.lines(COMMANDS, "ConfigMap x, key y", text))
                .isInstanceOfSatisfying(
                        SourceReader.Result.Invalid.class,
                        i -> assertThat(i.message())
                                .contains("spec.source.configMapKeyRef", "ConfigMap x, key y", part));
    }

    static Stream<Arguments> whatIsNoTaskIsNamed() {
        return Stream.of(
                Arguments.of("", "holds no task"),
                Arguments.of("a\n{\"name\":}", "line 2"),
                Arguments.of("a\n\n{\"args\":[]}", "line 3"),
                Arguments.of("a\0b", "NUL"),
                Arguments.of(
                        "a\n{\"name\":\"b\",\"args\":[null]}",
                        "line 2 ({\"name\":\"b\",\"args\":[null]}): args[0] is null"),
                Arguments.of(
                        "{\"name\":\"b\",\"env\":[null]}", "line 1 ({\"name\":\"b\",\"env\":[null]}): env[0] is null"),
                Arguments.of("a\n{\"name\":\"b\",\"args\":[\"x\\u0000\"]}", "args[0] has a NUL character"),
                Arguments.of("a\n{\"name\":\"b\\ud800\"}", "name has half a surrogate pair"),
                Arguments.of("{\"name\":\"" + "n".repeat(254) + "\"}", "name has 254 characters; at most 253"),
                Arguments.of(
                        "{\"name\":\"b\",\"args\":[" + "\"1\",".repeat(64) + "\"1\"]}",
                        "args has 65 entries; at most 64"),
                Arguments.of("y".repeat(16_385), "it has 16385 characters; at most 16384"),
                Arguments.of(env("A=B"), "env[0].name is \"A=B\""),
                Arguments.of("a\n" + env("QUIVER_TASK"), "line 2"),
                Arguments.of(
                        env("QUIVER_TASK"),
                        "env[0].name is \"QUIVER_TASK\": names that begin with QUIVER_ are reserved"),
                Arguments.of("x".repeat(300_000), "300000 bytes"));
    }

    @Test
    void aMillionLinesTakeTheMemoryOfTheirBytesAndOneMoreIsRefused() {
        SourceReader.Result read = SourceReader.lines(
                COMMANDS,
                "the list",
                Stream.iterate(0, i -> i + 1).limit(1_000_000).map(i -> "t" + i).iterator());
        assertThat(read).isInstanceOfSatisfying(SourceReader.Result.Read.class, r -> {
            assertThat(r.source().payloads()).hasSize(1_000_000).isInstanceOf(PackedPayloads.class);
            assertThat(r.source().payloads().get(999_999)).isEqualTo("t999999");
        });
        assertThat(SourceReader.lines(
                        COMMANDS,
                        "the list",
                        Stream.iterate(0, i -> i + 1)
                                .limit(1_000_001)
                                .map(i -> "t" + i)
                                .iterator()))
                .isEqualTo(new SourceReader.Result.Invalid(SourceInvalid, "the list holds more than 1000000 tasks."));
    }

    @Test
    void aNameThatStandsTwiceAmongManyIsFound() {
        Stream<String> lines = Stream.concat(
                Stream.of("# first"), IntStream.range(0, 5000).mapToObj(i -> i == 4321 ? "grün 77" : "grün " + i));
        assertThat(SourceReader.lines(COMMANDS, "the list", lines.iterator()))
                .isEqualTo(new SourceReader.Result.Invalid(
                        SourceInvalid,
                        "the list, line 4323: the task of line 79 has the name \"grün 77\", too; tasks of one name cannot"
                                + " be told apart."));
    }

    @Test
    void twoTasksOfOneNameAreRefusedWithTheNameAndBothPlaces() {
        List<TaskItem> items = List.of(
                new TaskItem("a", List.of("1"), List.of()),
                new TaskItem("b", List.of(), List.of()),
                new TaskItem("a", List.of("2"), List.of()));
        assertThat(SourceReader.items(COMMANDS, items))
                .isEqualTo(new SourceReader.Result.Invalid(
                        SourceInvalid,
                        "spec.source.items[2].name: the task of items[0] has the name \"a\", too; tasks of one name"
                                + " cannot be told apart."));
        assertThat(SourceReader.lines(COMMANDS, "ConfigMap x, key y", "a\n\n# a\n{\"name\":\"b\"}\n  a "))
                .isEqualTo(new SourceReader.Result.Invalid(
                        SourceInvalid,
                        "spec.source.configMapKeyRef: ConfigMap x, key y, line 5: the task of line 1 has the name \"a\","
                                + " too; tasks of one name cannot be told apart."));
        assertThat(SourceReader.lines(COMMANDS, "ConfigMap x, key y", "a\n{\"name\":\"a\",\"args\":[\"1\"]}"))
                .as("a plain line and an item")
                .isInstanceOfSatisfying(
                        SourceReader.Result.Invalid.class,
                        i -> assertThat(i.message()).contains("line 2", "line 1"));
        assertThat(SourceReader.lines(COMMANDS, "ConfigMap x, key y", ("n".repeat(200) + "\n").repeat(2)))
                .isInstanceOfSatisfying(
                        SourceReader.Result.Invalid.class,
                        i -> assertThat(i.message())
                                .contains("n".repeat(80) + "…\"")
                                .hasSizeLessThan(250));
    }

    @Test
    void aValueThatStandsTwiceInAMatrixIsRefused() {
        assertThat(SourceReader.matrix(COMMANDS, Map.of("A", List.of("x", "y"), "B", List.of("x", "y"))))
                .isInstanceOf(SourceReader.Result.Read.class);
        assertThat(SourceReader.matrix(COMMANDS, Map.of("A", List.of("x"), "B", List.of("1", "2", "1"))))
                .isEqualTo(new SourceReader.Result.Invalid(
                        SourceInvalid,
                        "spec.source.matrix.B[2]: value \"1\" stands at [0] already; tasks of one name cannot be told"
                                + " apart."));
    }

    @Test
    void aListWithoutAnEndIsRefused() {
        assertThat(SourceReader.lines(
                        COMMANDS,
                        "the list",
                        Stream.generate(() -> " ".repeat(1023)).iterator()))
                .isEqualTo(new SourceReader.Result.Invalid(
                        TaskSetReason.SourceInvalid, "the list has more than 33554432 bytes."));
    }

    @Test
    void manyTasksOfDistinctNamesAreRead() {
        String lines = IntStream.range(0, 200_000)
                .mapToObj(i -> Integer.toString(i, Character.MAX_RADIX))
                .collect(Collectors.joining("\n"));
        assertThat(SourceReader.lines(COMMANDS, "ConfigMap x, key y", lines))
                .isInstanceOfSatisfying(
                        SourceReader.Result.Read.class,
                        r -> assertThat(r.source().payloads()).hasSize(200_000));
    }

    @ParameterizedTest
    @MethodSource
    void anItemThatIsWrongIsToldInTheWordsOfItsAuthor(String line, String message) {
        assertThat(COMMANDS.ofLine(line.replace('\'', '"')))
                .isInstanceOfSatisfying(TaskCheck.Result.Fault.class, fault -> {
                    assertThat(fault.reason()).isEqualTo(SourceInvalid);
                    assertThat(fault.message().replace('"', '\'')).isEqualTo(message);
                });
    }

    static Stream<Arguments> anItemThatIsWrongIsToldInTheWordsOfItsAuthor() {
        return Stream.of(
                Arguments.of(
                        "{'name':'a','arg':['x']}", "unknown field 'arg'; an item has name, args, env, input, muted"),
                Arguments.of("{'name':'a','muted':'yes'}", "muted must be true or false"),
                Arguments.of("{'name':'a','env':{'A':'1'}}", "env must be a list of {name, value}"),
                Arguments.of("{'name':'a','env':['A=1']}", "env[0] must be {name, value}"),
                Arguments.of("{'name':'a','env':[{'name':'A','value':1}]}", "env[0].value must be a text, in quotes"),
                Arguments.of(
                        "{'name':'a','env':[{'name':'A','from':'x'}]}",
                        "unknown field 'env[0].from'; a variable has name, value"),
                Arguments.of("{'name':5}", "name must be a text, in quotes"),
                Arguments.of("{'name':['a']}", "name must be a text, in quotes"),
                Arguments.of("{'name':'a','args':'x'}", "args must be a list of texts"),
                Arguments.of("{'name':'a','args':['x',true]}", "args[1] must be a text, in quotes"),
                Arguments.of("{'name':'a','input':7}", "input must be an object with json, base64 or locator"),
                Arguments.of("{'name':'a','input':{'base64':7}}", "input.base64 must be a text, in quotes"),
                Arguments.of(
                        "{'name':'a','input':{'file':'x'}}",
                        "unknown field 'input.file'; an input has json, base64, locator, format"),
                Arguments.of(
                        "{'name':'a','name':'b'}",
                        "item is not valid JSON: Duplicate field 'name' (line 1, column 19)"),
                Arguments.of("{'name':'a'", "item is not valid JSON: it ends too early"),
                Arguments.of(
                        "{'name':'a'} {}", "item is not valid JSON: something follows it, or it is of the wrong kind"),
                Arguments.of("{'name':NaN}", "item is not valid JSON: line 1, column 12"),
                Arguments.of("{}", "item has no name"),
                Arguments.of("{'name':null}", "item has no name"));
    }

    private static String env(String name) {
        return "{\"name\":\"b\",\"env\":[{\"name\":\"" + name + "\",\"value\":\"1\"}]}";
    }

    @ParameterizedTest
    @MethodSource
    void inputsAreCheckedBeforeTheFirstTaskRuns(TaskCheck check, String line, TaskSetReason reason, String part) {
        assertThat(SourceReader.lines(check, "ConfigMap x, key y", "a\n" + line))
                .isInstanceOfSatisfying(SourceReader.Result.Invalid.class, i -> {
                    assertThat(i.reason()).isEqualTo(reason);
                    assertThat(i.message()).contains("line 2", part);
                });
    }

    static Stream<Arguments> inputsAreCheckedBeforeTheFirstTaskRuns() {
        String large = "\"" + "x".repeat(2000) + "\"";
        return Stream.of(
                Arguments.of(
                        COMMANDS, "{\"name\":\"b\",\"input\":{\"json\":1}}", SourceInvalid, "needs spec.task.handler"),
                Arguments.of(HANDLER, "{\"name\":\"b\",\"args\":[\"x\"]}", SourceInvalid, "takes none: use input"),
                Arguments.of(
                        HANDLER,
                        "{\"name\":\"b\",\"input\":{\"json\":1,\"locator\":\"/a\"}}",
                        SourceInvalid,
                        "exactly one"),
                Arguments.of(
                        HANDLER,
                        "{\"name\":\"b\",\"input\":{\"json\":" + large + "}}",
                        InputTooLarge,
                        "input has 2002 bytes, and slots.inputSize of the pool is 1000"));
    }

    @Test
    void inputsAreCheckedAsTheyGoTogether() {
        String half = "x".repeat(600);
        TaskTemplate template = TaskTemplateBuilder.builder()
                .handler("resize")
                .input(TaskInput.ofJson(JsonNodeFactory.instance.objectNode().put("a", half)))
                .build();
        assertThat(TaskCheck.faultOf(template, 1000)).isEmpty();
        TaskCheck check = TaskCheck.of(template, 1000);
        assertThat(check.ofLine("{\"name\":\"b\",\"input\":{\"json\":{\"b\":\"" + half + "\"}}}"))
                .isInstanceOfSatisfying(TaskCheck.Result.Fault.class, fault -> {
                    assertThat(fault.reason()).isEqualTo(InputTooLarge);
                    assertThat(fault.message()).contains("input has 1215 bytes", "slots.inputSize of the pool is 1000");
                });
        assertThat(check.ofLine("{\"name\":\"b\",\"input\":{\"json\":{\"a\":\"" + half + "\"}}}"))
                .as("its key replaces the set's")
                .isInstanceOf(TaskCheck.Result.Good.class);
        assertThat(check.ofLine("z".repeat(400))).isInstanceOf(TaskCheck.Result.Fault.class);
        assertThat(check.ofLine("z".repeat(40))).isInstanceOf(TaskCheck.Result.Good.class);
        assertThat(check.ofMatrix(Map.of("K", List.of("1", "z".repeat(400))))).isPresent();
        assertThat(check.ofMatrix(Map.of("K", List.of("1", "z".repeat(40))))).isEmpty();
    }

    @Test
    void argumentsAndEnvironmentNeedRoomToo() {
        TaskCheck commands = TaskCheck.of(TaskTemplate.ofCommand("true"), 4096);
        assertThat(commands.ofLine("y".repeat(5000)))
                .isInstanceOfSatisfying(
                        TaskCheck.Result.Fault.class,
                        fault -> assertThat(fault.message())
                                .contains("arguments and environment need", "slots.inputSize of the pool is 4096"));
        assertThat(TaskCheck.faultOf(TaskTemplate.ofCommand("echo", "y".repeat(5000)), 4096))
                .isPresent();
        assertThat(TaskCheck.faultOf(TaskTemplate.ofCommand("echo", "a\0b"), 4096))
                .hasValueSatisfying(fault -> assertThat(fault.message()).startsWith("command[1] has a NUL character"));
    }

    @Test
    void theBoundOfBase64IsSaidInItsOwnSize() {
        String data = Base64.getEncoder().encodeToString(new byte[200 * 1024]);
        assertThat(TaskCheck.of(TaskTemplate.ofHandler("resize"), 1 << 20)
                        .ofLine("{\"name\":\"b\",\"input\":{\"base64\":\"" + data + "\"}}"))
                .isInstanceOfSatisfying(TaskCheck.Result.Fault.class, fault -> {
                    assertThat(fault.reason()).isEqualTo(InputTooLarge);
                    assertThat(fault.message()).contains("192 KiB", "use a locator");
                });
    }

    @Test
    void linesForAHandlerMayHaveInputs() {
        assertThat(SourceReader.lines(HANDLER, "x", "a\n{\"name\":\"b\",\"input\":{\"json\":{\"w\":3}}}"))
                .isInstanceOf(SourceReader.Result.Read.class);
    }

    @Test
    void itemsAreFedWithTheirInputs() {
        TaskCheck.Result fed = HANDLER.ofItem(
                new TaskItem("a", null, null, new TaskInput(null, "AQID", null, TaskInput.Format.Arrow)));
        assertThat(fed)
                .isEqualTo(new TaskCheck.Result.Good(
                        "{\"name\":\"a\",\"args\":[],\"env\":[],\"input\":{\"base64\":\"AQID\",\"format\":\"Arrow\"}}",
                        "a"));
    }

    @Test
    void theHashTellsSourcesApart() {
        assertThat(hash("a\nb"))
                .isNotEqualTo(hash("b\na"))
                .isNotEqualTo(hash("a"))
                .hasSize(64);
        assertThat(hash("a\nb")).isEqualTo(hash("# c\na\n\nb\n"));
    }

    @Test
    void aKeyThatIsNotInTheDataIsSaidToBeWhereItIs() {
        ConfigMap map = new ConfigMapBuilder()
                .addToData("tasks", "a")
                .addToBinaryData("t", "AP8=")
                .build();
        assertThat(SourceReader.text(map, new ConfigMapKeyRef("lists", "t"), COMMANDS))
                .isEqualTo(
                        new SourceReader.Result.NotFound("spec.source.configMapKeyRef.key: ConfigMap lists has key t in"
                                + " its binaryData; it must be in data, as text."));
        assertThat(SourceReader.text(map, new ConfigMapKeyRef("lists", "x"), COMMANDS))
                .isEqualTo(new SourceReader.Result.NotFound(
                        "spec.source.configMapKeyRef.key: ConfigMap lists has no key x in"
                                + " its data; it has [tasks]."));
        assertThat(SourceReader.text(map, new ConfigMapKeyRef("lists", "tasks"), COMMANDS))
                .isInstanceOf(SourceReader.Result.Read.class);
    }

    private static String hash(String text) {
        return ((SourceReader.Result.Read) SourceReader.lines(COMMANDS, "x", text))
                .source()
                .hash();
    }
}
