package dev.quiver.lifecycle.execution;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The program or function that runs each task of a set. Immutable. */
public sealed interface Execution {

    /**
     * A process for each task.
     *
     * @param command program and leading arguments, at least one word
     * @param args arguments after it
     * @param workingDir absent for the container's own
     */
    record Command(List<String> command, List<String> args, Optional<String> workingDir) implements Execution {

        /** Copies the lists. */
        public Command {
            command = List.copyOf(command);
            args = List.copyOf(args);
            Objects.requireNonNull(workingDir, "workingDir");
            if (command.isEmpty()) {
                throw new IllegalArgumentException("command must have at least one word");
            }
        }
    }

    /**
     * A function by its name, in a process that stays alive. Only supervisors whose handler process announces the name
     * claim such tasks.
     *
     * @param name 1 to {@value #MAX_BYTES} bytes of UTF-8 without control characters
     */
    record Handler(String name) implements Execution {

        /** Bytes of a name at most. */
        public static final int MAX_BYTES = 128;

        /** The end of the name under which a worker serves the plan of a function. */
        public static final String PLAN = "#plan";

        /** The end of the name under which a worker serves the contingency of a function. */
        public static final String CONTINGENCY = "#contingency";

        /** Checks the bounds. */
        public Handler {
            checkName(name);
        }

        /**
         * The name of a function that a task names.
         *
         * @throws IllegalArgumentException for one that {@link #checkName} refuses, and for that of a plan or a contingency
         */
        public static String checkFunction(String name) {
            for (String end : List.of(PLAN, CONTINGENCY)) {
                if (name.endsWith(end)) {
                    throw new IllegalArgumentException("handler \"" + Utf8.firstBytes(name, MAX_BYTES) + "\" ends in "
                            + end + ", which only workers say: name the function, and set " + end.substring(1));
                }
            }
            return checkName(name);
        }

        /**
         * A name with 1 to {@value #MAX_BYTES} bytes of UTF-8 and no control character.
         *
         * @throws IllegalArgumentException for any other one
         */
        public static String checkName(String name) {
            int bytes = name.getBytes(StandardCharsets.UTF_8).length;
            if (bytes < 1 || bytes > MAX_BYTES) {
                throw new IllegalArgumentException("handler \"" + Utf8.firstBytes(name, MAX_BYTES) + "\" has " + bytes
                        + " bytes, 1 to " + MAX_BYTES + " are allowed");
            }
            if (name.chars().anyMatch(Character::isISOControl)) {
                throw new IllegalArgumentException("handler \"" + name + "\" has a control character");
            }
            return name;
        }
    }
}
