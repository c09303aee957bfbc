package dev.quiver.lifecycle.redis;

import java.util.List;

/**
 * The versions of what programs call, for which a library has entry points. A program states the version that it knows.
 * Where the library's own version is later, the program calls functions whose names end with its own: {@code
 * …_task_submit_v2}. Behind such a name stands an adapter, if the script's keys, arguments or reply have changed since, or
 * else the script itself.
 *
 * <p>An adapter is a script {@code lua/earlier/2/task/submit.lua}. Its header is what the script had in that version. Its
 * body calls {@code current(keys, arguments)}, gets the reply of today's script, and returns one of its own version.
 *
 * @param version of this release
 * @param oldest version of the release before, or the same while there is none
 * @param adapters scripts for versions before this one
 */
public record EntryPoints(int version, int oldest, List<Script> adapters) {

    /** Copies the list. */
    public EntryPoints {
        if (oldest < 1 || oldest > version) {
            throw new IllegalArgumentException(
                    "the oldest version is " + oldest + ", 1 to " + version + " are possible");
        }
        adapters = List.copyOf(adapters);
    }

    /** Entry points of one version alone. */
    public static EntryPoints of(int version) {
        return new EntryPoints(version, version, List.of());
    }

    boolean hasEarlier() {
        return oldest < version;
    }

    /** The name of the script that adapts another for a version. */
    static String adapter(int version, String script) {
        return "earlier/" + version + "/" + script;
    }

    /** The ending of the names of an earlier version's functions. */
    static String ending(int version) {
        return "_v" + version;
    }
}
