package dev.quiver.lifecycle.task.commands;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.keys.TaskScripts;

class PlaceCommandsTest {

    @Test
    void namesEveryKeyOfTheScriptAndTheSourceAmongThem() {
        Keyspace keyspace = Keyspace.ofNamespace("a");
        String[] keys = TaskScripts.PLACE.keys(name -> PlaceCommands.key(keyspace, "taskset:u", name), List.of());
        assertThat(keys).allMatch(key -> key.startsWith("quiver:{a}:")).contains("quiver:{a}:taskset:u");
    }
}
