package dev.quiver.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.luaj.vm2.Lua;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Prototype;
import org.luaj.vm2.lib.jse.JsePlatform;

/**
 * Faults that Redis' Lua refuses, or would report only in a call. They are too many locals or upvalues in a function
 * of the library, and names that nobody has declared.
 */
class ScriptScopeTest {

    /** Redis refuses a function with 200, and with it the whole library. */
    private static final int MOST_LOCALS = 120;

    /** Redis refuses a function with 60. */
    private static final int MOST_UPVALUES = 40;

    /** The names that Redis gives a function in a call. */
    private static final Set<String> GLOBALS = Set.of(
            "redis",
            "cjson",
            "cmsgpack",
            "struct",
            "string",
            "table",
            "math",
            "tonumber",
            "tostring",
            "type",
            "pairs",
            "ipairs",
            "next",
            "select",
            "unpack",
            "pcall",
            "error");

    /** The names that it gives while it loads the library. */
    private static final Set<String> LOADING = Set.of("redis");

    private record Function(String name, Prototype code, boolean top) {}

    private static List<Function> functions() throws IOException {
        String source = Lifecycle.LIBRARY.source().replaceFirst("#!.*", "");
        Prototype all = JsePlatform.standardGlobals().compilePrototype(new StringReader(source), "library");
        String[] lines = source.split("\n", -1);
        List<Function> found = new ArrayList<>();
        collect(all, lines, found);
        return found;
    }

    private static void collect(Prototype code, String[] lines, List<Function> found) {
        String line = code.linedefined == 0 ? "the library" : lines[code.linedefined - 1].strip();
        found.add(new Function(code.linedefined + ": " + line, code, code.linedefined == 0));
        for (Prototype inner : code.p) {
            collect(inner, lines, found);
        }
    }

    /** The most that are in use at one place. */
    private static int locals(Prototype code) {
        return Arrays.stream(code.locvars)
                .mapToInt(one -> (int) Arrays.stream(code.locvars)
                        .filter(other -> other.startpc <= one.startpc && one.startpc < other.endpc)
                        .count())
                .max()
                .orElse(0);
    }

    private static Set<String> globals(Prototype code) {
        Set<String> names = new TreeSet<>();
        for (int instruction : code.code) {
            int operation = Lua.GET_OPCODE(instruction);
            boolean reads = operation == Lua.OP_GETTABUP;
            if (reads || operation == Lua.OP_SETTABUP) {
                int upvalue = reads ? Lua.GETARG_B(instruction) : Lua.GETARG_A(instruction);
                int key = reads ? Lua.GETARG_C(instruction) : Lua.GETARG_B(instruction);
                if (code.upvalues[upvalue].name.tojstring().equals("_ENV") && Lua.ISK(key)) {
                    LuaValue name = code.k[Lua.INDEXK(key)];
                    names.add(name.tojstring());
                }
            }
        }
        return names;
    }

    @Test
    void eachNameIsDeclared() throws IOException {
        Map<String, Set<String>> unknown = new HashMap<>();
        for (Function function : functions()) {
            Set<String> names = globals(function.code());
            names.removeAll(function.top() ? LOADING : GLOBALS);
            if (!names.isEmpty()) {
                unknown.put(function.name(), names);
            }
        }
        assertThat(unknown).isEmpty();
    }

    @Test
    void thereIsRoomForMoreNames() throws IOException {
        assertThat(functions()).allSatisfy(function -> {
            assertThat(locals(function.code())).as(function.name()).isLessThanOrEqualTo(MOST_LOCALS);
            assertThat(function.code().upvalues).as(function.name()).hasSizeLessThanOrEqualTo(MOST_UPVALUES);
        });
    }
}
