package dev.quiver.bench.quiver;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.quiver.bench.Lab;
import dev.quiver.bench.process.Program;

/**
 * The supervisor with history entries. The switch is an argument of the step script that is never set before there is a
 * history store. So this program has the same script with its one test for that argument answered.
 */
public final class HistoryOn {

    private static final String SCRIPT = "dev/quiver/lifecycle/lua/include/ordinals/settle.lua";
    private static final String SWITCH = "arg_history_on == '1'";

    private HistoryOn() {}

    /** The same program, with its step script before the one in the jar. */
    public static Program of(Lab lab, Program program) throws IOException {
        String script;
        try (InputStream original = HistoryOn.class.getClassLoader().getResourceAsStream(SCRIPT)) {
            script = new String(original.readAllBytes(), StandardCharsets.UTF_8);
        }
        if (!script.contains(SWITCH)) {
            throw new IOException(SCRIPT + " has no \"" + SWITCH + "\" any more: is there a switch of its own now?");
        }
        Path folder = lab.folder("history-on");
        Path own = folder.resolve(SCRIPT);
        Files.createDirectories(own.getParent());
        Files.writeString(own, script.replace(SWITCH, "true"));
        return program.before(folder);
    }
}
