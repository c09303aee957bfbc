package dev.quiver.lifecycle.ordinals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.References;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskInvocation;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.EnvVar;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.worker.TrialFailure;

class TaskRenderingTest {

    private static final SlotFacts FACTS =
            new SlotFacts(5, "pool-abc-0", "/quiver/in/task-5.in", "/quiver/out/task-5/output", 65_536);

    private static ExecutionSpec spec(TaskSource source, List<String> args, EnvVar... env) {
        return new ExecutionSpec(
                "nightly", List.of("run", "$(QUIVER_INDEX)"), args, List.of(env), Optional.of("/w"), source);
    }

    private static TaskInvocation.Command command(
            ExecutionSpec spec, long ordinal, Optional<String> payload, SlotFacts facts) {
        return (TaskInvocation.Command) TaskRendering.render(spec, ordinal, payload, 2, facts);
    }

    @Test
    void namesACountedTaskByItsIndex() {
        TaskInvocation.Command run =
                command(spec(new TaskSource.Count(10), List.of("--of=$(QUIVER_TASKSET)")), 7, Optional.empty(), FACTS);

        assertThat(run.name()).isEqualTo("7");
        assertThat(run.argv()).containsExactly("run", "7", "--of=nightly");
        assertThat(run.workingDir()).contains("/w");
        assertThat(run.env())
                .containsEntry("QUIVER_TASK", "7")
                .containsEntry("QUIVER_TRIAL", "2")
                .containsEntry("QUIVER_SLOT", "5")
                .containsEntry("QUIVER_POD_NAME", "pool-abc-0")
                .containsEntry("QUIVER_INPUT", "/quiver/in/task-5.in")
                .containsEntry("QUIVER_OUTPUT", "/quiver/out/task-5/output");
    }

    @Test
    void variesTheLastKeyOfAMatrixFastest() {
        Map<String, List<String>> keys = new LinkedHashMap<>();
        keys.put("OS", List.of("linux", "mac"));
        keys.put("PY", List.of("3.12", "3.13", "3.14"));
        TaskSource matrix = new TaskSource.Matrix(keys);

        List<String> names = new ArrayList<>();
        for (long i = 0; i < 6; i++) {
            names.add(TaskRendering.name(matrix, i, Optional.empty()));
        }

        assertThat(names)
                .containsExactly(
                        "OS=linux,PY=3.12",
                        "OS=linux,PY=3.13",
                        "OS=linux,PY=3.14",
                        "OS=mac,PY=3.12",
                        "OS=mac,PY=3.13",
                        "OS=mac,PY=3.14");
        assertThat(command(spec(matrix, List.of("$(PY)")), 5, Optional.empty(), FACTS))
                .satisfies(run -> assertThat(run.argv()).endsWith("3.14"))
                .satisfies(run -> assertThat(run.env()).containsEntry("OS", "mac"));
    }

    @Test
    void everyCombinationOfAnyMatrixComesOnce() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            Map<String, List<String>> keys = new LinkedHashMap<>();
            int width = 1 + random.nextInt(4);
            for (int k = 0; k < width; k++) {
                List<String> values = new ArrayList<>();
                for (int v = 0; v <= random.nextInt(5); v++) {
                    values.add("v" + v);
                }
                keys.put("K" + k, values);
            }
            long size = MatrixOrder.size(keys);
            Set<Map<String, String>> seen = new HashSet<>();
            for (long i = 0; i < size; i++) {
                seen.add(MatrixOrder.at(keys, i));
            }
            assertThat(seen).as("seed %d, keys %s", seed, keys).hasSize((int) size);
            assertThatThrownBy(() -> MatrixOrder.at(keys, size)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void appendsArgumentsAndEnvironmentOfAnItem() {
        String item = new OrdinalItem(
                        "a b", List.of("-k", "$(MODE)"), List.of(new EnvVar("MODE", "$(MODE)-x")), Map.of())
                .toJson();

        TaskInvocation.Command run = command(
                spec(new TaskSource.Items(), List.of("base"), new EnvVar("MODE", "fast")), 0, Optional.of(item), FACTS);

        assertThat(run.name()).isEqualTo("a b");
        assertThat(run.argv()).containsExactly("run", "0", "base", "-k", "fast-x");
        assertThat(run.env()).containsEntry("MODE", "fast-x");
    }

    @Test
    void readsALineAsNameOrAsItem() {
        TaskSource lines = new TaskSource.Lines();
        TaskInvocation.Command plain = command(spec(lines, List.of()), 0, Optional.of("tests/a_test.py"), FACTS);
        TaskInvocation.Command item =
                command(spec(lines, List.of()), 1, Optional.of("{\"name\":\"b\",\"args\":[\"x\"]}"), FACTS);

        assertThat(plain.name()).isEqualTo("tests/a_test.py");
        assertThat(plain.argv()).endsWith("tests/a_test.py");
        assertThat(item.name()).isEqualTo("b");
        assertThat(item.argv()).endsWith("x");
    }

    @Test
    void saysWhatIsWrongWithAnItem() {
        assertThatThrownBy(() -> OrdinalItem.ofJson("{\"args\":[]}")).hasMessageContaining("no name");
        assertThatThrownBy(() -> OrdinalItem.ofJson("{\"name\":\"a\",\"foo\":1}"))
                .hasMessageContaining("foo");
        assertThatThrownBy(() -> OrdinalItem.ofJson("{")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OrdinalItem.ofJson("{\"name\":\"a\",\"args\":[\"x\",null]}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("args[1] is null");
        assertThatThrownBy(() -> OrdinalItem.ofJson("{\"name\":\"a\",\"env\":[null]}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("env[0] is null");
        assertThatThrownBy(() -> OrdinalItem.ofJson("{\"name\":\"a\",\"env\":[{\"value\":\"1\"}]}"))
                .hasMessage("env[0] has no name");
    }

    @Test
    void saysSoWithoutANameOfOurClasses() {
        for (String wrong :
                List.of("{\"name\":\"a\",\"arg\":1}", "{\"name\":\"a\",\"env\":{}}", "{\"name\":\"a\"} 1")) {
            assertThatThrownBy(() -> OrdinalItem.ofLine(wrong))
                    .hasMessageNotContainingAny("dev.quiver", "java.", "Jackson");
        }
        assertThatThrownBy(() -> OrdinalItem.ofLine("{\"name\":\"a\",\"env\":[{\"name\":[]}]}"))
                .hasMessageContaining("\"env[0].name\" is of the wrong kind");
        assertThatThrownBy(() -> new ExecutionInput.Json("[".repeat(2000))).hasMessageContaining("nested too deep");
    }

    @Test
    void readsWhatRedisHoldsAsItAlwaysDid() {
        assertThat(OrdinalItem.ofLine("{\"name\":\"a\",\"name\":5,\"args\":[1.50,true]}"))
                .isEqualTo(new OrdinalItem("5", List.of("1.50", "true"), List.of(), Map.of()));
        assertThatThrownBy(() -> OrdinalItem.ofWrittenLine("{\"name\":5}")).hasMessageContaining("name must be a text");
    }

    @Test
    void aVariableWithoutAValueIsEmpty() {
        assertThat(OrdinalItem.ofJson("{\"name\":\"a\",\"env\":[{\"name\":\"X\"}]}")
                        .env())
                .containsExactly(new EnvVar("X", ""));
    }

    @Test
    void expandsReferencesAsKubernetesDoes() {
        Map<String, String> known = Map.of("A", "1", "B", "$(A)", "EMPTY", "");
        References references = new References(known, 100);
        assertThat(references.expand("f", "$(A)-$(B)-$(EMPTY)-$(NO)")).isEqualTo("1-$(A)--$(NO)");
        assertThat(references.expand("f", "$$(A) $$$(A) $A $ $$ $(A")).isEqualTo("$(A) $1 $A $ $ $(A");
        assertThat(references.expand("f", "")).isEmpty();
        assertThat(references.expand("f", "$")).isEqualTo("$");
    }

    @Test
    void leavesTheContainersEnvironmentToItsPrograms() {
        TaskInvocation.Command run =
                command(spec(new TaskSource.Count(1), List.of("$(HOME)/x")), 0, Optional.empty(), FACTS);
        assertThat(run.argv()).endsWith("$(HOME)/x");
    }

    @Test
    void refusesReferencesThatGrowBeyondTheSlotsInput() {
        ExecutionSpec growing = spec(
                new TaskSource.Count(1),
                List.of(),
                new EnvVar("A", "x".repeat(16_384)),
                new EnvVar("B", "$(A)".repeat(4_096)),
                new EnvVar("C", "$(B)".repeat(4_096)));

        assertThatThrownBy(() -> command(growing, 0, Optional.empty(), FACTS))
                .isInstanceOf(InputTooLargeException.class)
                .hasMessageContaining("env B has 67108864 characters")
                .hasMessageContaining("65536 bytes")
                .hasMessageContaining("slots.inputSize");
    }

    @Test
    void boundsAllReferencesTogether() {
        References references = new References(Map.of("A", "x".repeat(40)), 100);
        assertThat(references.expand("args", "$(A)$(A)")).hasSize(80);
        assertThat(references.expand("args", "y".repeat(200))).hasSize(200);
        assertThatThrownBy(() -> references.expand("args", "$(A)"))
                .isInstanceOf(InputTooLargeException.class)
                .hasMessageContaining("args has 40 characters");
    }

    @Test
    void specsSurviveRedis() {
        Map<String, List<String>> keys = new LinkedHashMap<>();
        keys.put("Z", List.of("1", "ü \"q\""));
        keys.put("A", List.of("2"));
        for (TaskSource source : List.of(
                new TaskSource.Count(3), new TaskSource.Matrix(keys), new TaskSource.Items(), new TaskSource.Lines())) {
            ExecutionSpec spec = spec(source, List.of("", "a b", "ü\n"), new EnvVar("X", ""));
            ExecutionSpec again = ExecutionSpecJson.read(ExecutionSpecJson.write(spec));
            assertThat(again).isEqualTo(spec);
            assertThat(TaskRendering.render(again, 0, payload(source), 2, FACTS))
                    .isEqualTo(TaskRendering.render(spec, 0, payload(source), 2, FACTS));
        }
    }

    private static Optional<String> payload(TaskSource source) {
        return source.fed() ? Optional.of("{\"name\":\"n\"}") : Optional.empty();
    }

    @Test
    void cutsMessagesAtACharacter() {
        TrialFailure failure = TrialFailure.of(
                "t", 1, Optional.of(1), Optional.empty(), "NonZeroExit", "x".repeat(10) + "ü".repeat(400));
        assertThat(Utf8.length(failure.message())).isEqualTo(512);
        assertThat(failure.message()).isEqualTo("ü".repeat(256));
        TrialFailure odd = TrialFailure.of("t", 1, Optional.of(1), Optional.empty(), "X", "ü".repeat(400) + "y");
        assertThat(odd.message()).isEqualTo("ü".repeat(255) + "y");
    }

    @Test
    void cutsTheNameOfAFailureToWhatAResourceHas() {
        TrialFailure failure =
                TrialFailure.of("\uD83D\uDE00".repeat(300), 1, Optional.of(1), Optional.empty(), "NonZeroExit", "no");
        assertThat(failure.task()).isEqualTo("\uD83D\uDE00".repeat(253));
    }

    @Test
    void aPickedTaskIsWhatItIsInItsSource() {
        TaskSource lines = new TaskSource.Picked(new TaskSource.Lines());
        String payload = TaskSource.Picked.payload(41, Optional.of("c d e"));
        assertThat(TaskRendering.name(lines, 0, Optional.of(payload))).isEqualTo("c d e");
        String muted = TaskSource.Picked.payload(2, Optional.of("{\"name\": \"flaky\", \"muted\": true}"));
        assertThat(TaskRendering.muted(lines, 0, Optional.of(muted))).isTrue();
        TaskSource count = new TaskSource.Picked(new TaskSource.Count(100));
        assertThat(TaskRendering.name(count, 3, Optional.of(TaskSource.Picked.payload(41, Optional.empty()))))
                .isEqualTo("41");
        ExecutionSpec spec = ExecutionSpecJson.read(ExecutionSpecJson.write(
                new ExecutionSpec("s", List.of("true"), List.of(), List.of(), Optional.empty(), count)));
        assertThat(spec.source()).isEqualTo(count);
        assertThat(((TaskInvocation.Command) TaskRendering.render(spec, 3, Optional.of("41"), 1, FACTS)).env())
                .containsEntry("QUIVER_INDEX", "41");
        assertThatThrownBy(() -> TaskRendering.name(count, 3, Optional.of("100")))
                .hasMessageContaining("100 is not below 100");
        assertThatThrownBy(() -> TaskRendering.name(count, 3, Optional.of("x\ny")))
                .hasMessage("a picked task has no number: x");
    }
}
