package dev.quiver.lifecycle.redis;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** A role that calls scripts. Its header says so: {@code -- FOR worker, client}. The operator may call each. */
public enum ScriptRole {
    /** The operator, whose Redis user has all rights. */
    OPERATOR,
    /** The workers of a namespace. */
    WORKER,
    /** Programs of a namespace that create Tasks. */
    CLIENT,
    /** The program that keeps the record, for all namespaces. */
    HISTORY;

    /** Such a line of a header names the roles. */
    static final String LINE = "-- FOR ";

    /**
     * The roles in words with commas between them.
     *
     * @throws IllegalArgumentException for a word that is none
     */
    static Set<ScriptRole> of(String words) {
        Set<ScriptRole> roles = EnumSet.noneOf(ScriptRole.class);
        for (String word : words.split(",")) {
            roles.add(valueOf(word.strip().toUpperCase(Locale.ROOT)));
        }
        return roles;
    }
}
