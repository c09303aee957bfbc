package dev.quiver.lifecycle.task.keys;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.Script;
import dev.quiver.lifecycle.worker.SessionKeys;

class TaskScriptKeysTest {

    static Stream<Script> scripts() {
        // The place of a source has the source's own hash among its keys, which PlaceCommands names.
        return TaskScripts.ALL.stream().filter(script -> script != TaskScripts.PLACE);
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void hasANameForEveryKey(Script script) {
        TaskScriptKeys keys = new TaskScriptKeys(new SessionKeys(Keyspace.ofNamespace("a"), "p", "s", "e"), "u", "r");
        assertThat(script.keys(keys::key, List.of())).allMatch(key -> key.startsWith("quiver:{a}:"));
    }
}
