package dev.quiver.lifecycle.redis;

import java.util.List;

/** Makes scripts that stand in no file, such as those of a later release. */
public final class TextScript {

    private TextScript() {}

    /** The script with these lines. */
    public static Script of(String name, List<String> lines) {
        return Script.of(name, lines);
    }

    /** The lines of the file of another script. */
    public static List<String> lines(Script script) {
        return Script.file(script.name());
    }
}
