package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.KeyspaceScripts;
import dev.quiver.lifecycle.ordinals.OrdinalScripts;
import dev.quiver.lifecycle.redis.Script;
import dev.quiver.lifecycle.worker.SessionKeys;
import dev.quiver.lifecycle.worker.WorkerScripts;

class TaskSetScriptKeysTest {

    static Stream<Script> scripts() {
        return Stream.of(KeyspaceScripts.ALL, WorkerScripts.ALL, OrdinalScripts.ALL, TaskSetScripts.ALL)
                .flatMap(List::stream);
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void hasANameForEveryKey(Script script) {
        TaskSetScriptKeys keys = TaskSetScriptKeys.of(new SessionKeys(Keyspace.ofNamespace("a"), "p", "s", "e"), "u");
        assertThat(script.keys(keys::key, List.of())).allMatch(key -> key.startsWith("quiver:{a}:"));
    }
}
