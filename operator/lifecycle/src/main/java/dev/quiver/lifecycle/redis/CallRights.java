package dev.quiver.lifecycle.redis;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The calls that a Redis allows to the users of tenants, in addition to the commands on their keys. Immutable.
 *
 * @param functions which functions each role may call; absent where Redis has none: then a user runs Lua of its own
 * @param database the number of the only database that a user may select, 0 or more
 * @param tellsOfDisk whether it has WAITAOF; a right to a command that it does not have is no rule of its
 */
public record CallRights(Optional<FunctionRights> functions, int database, boolean tellsOfDisk) {

    /** All components must be present. */
    public CallRights {
        Objects.requireNonNull(functions, "functions");
        if (database < 0) {
            throw new IllegalArgumentException("there is no database " + database);
        }
    }

    /** The rights in the first database of a Redis that has functions. */
    public static CallRights of(FunctionRights functions) {
        return new CallRights(Optional.of(functions), 0, false);
    }

    /** The rights in the first database of a Redis without functions. */
    public static CallRights withoutFunctions() {
        return new CallRights(Optional.empty(), 0, false);
    }

    /** The same in another database. */
    public CallRights in(int other) {
        return new CallRights(functions, other, tellsOfDisk);
    }

    /** The same of a Redis that has WAITAOF. */
    public CallRights withWaitaof() {
        return new CallRights(functions, database, true);
    }

    /** The rules for who waits until Redis' disk has what was written. */
    List<String> durability() {
        return tellsOfDisk ? List.of("+waitaof") : List.of();
    }

    /** The rule that keeps a user in its database: in another one nobody sweeps what it leaves. */
    public String selects() {
        return "+select|" + database;
    }

    /** The rules for scripts of a role: a right to each of its functions, or to run any Lua. */
    public List<String> scripts(ScriptRole role) {
        return functions.map(its -> its.rules(role)).orElse(List.of("+eval", "+evalsha"));
    }
}
