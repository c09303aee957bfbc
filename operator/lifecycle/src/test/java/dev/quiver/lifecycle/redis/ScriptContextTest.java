package dev.quiver.lifecycle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;

import org.junit.jupiter.api.Test;

class ScriptContextTest {
    private static final List<String> KEYS = List.of("nodes", "meta", "roots");
    private static final List<String> ARGUMENTS = List.of("session", "call");

    private static String code(String... modules) {
        return ScriptContext.code(
                "task/step",
                List.of(modules).stream()
                        .map(text -> ScriptModule.of("m", List.of("-- MODULE m", text)))
                        .toList(),
                KEYS,
                ARGUMENTS);
    }

    @Test
    void hasWhatTheModulesOfAScriptRead() {
        assertThat(code("call('HGET', c.key_nodes, id)", "if c.no_room then return c.now + c.arg_call end"))
                .isEqualTo("local c = {arg_call = arg_call, key_nodes = key_nodes, no_room = no_room, now = now}\n");
    }

    @Test
    void isNotThereWhereNoModuleReadsIt() {
        assertThat(code("function queue.leave(q, n) n.left = true end", "c.nodes = {}"))
                .isEmpty();
    }

    @Test
    void readsWholeNamesOfItsTableAlone() {
        assertThat(code("c.nowhere = abc.now; _c.no_room = c.note")).isEmpty();
        assertThat(code("c.key_nodes")).isEqualTo("local c = {key_nodes = key_nodes}\n");
    }

    @Test
    void refusesAKeyOrAnArgumentThatTheScriptDoesNotDeclare() {
        assertThatThrownBy(() -> code("call('HGET', c.key_names, id)"))
                .hasMessageContaining("task/step uses a module that reads key_names");
        assertThatThrownBy(() -> code("return c.arg_term")).hasMessageContaining("arg_term");
    }
}
