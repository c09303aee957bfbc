package dev.quiver.sdk;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The changes that a plan makes to its task before it is executed. A field that is not set stays as the task has it.
 *
 * <pre>{@code
 * Plan.builder().tags(List.of("send")).resources(List.of("online")).build()
 * }</pre>
 */
public final class Plan {
    private static final int MOST_PRIORITY = 99_999;
    private static final int MOST_NAMES = 8;
    private static final Pattern NAME = Pattern.compile("[!-~]{1,128}");

    private final Effects effects;

    private Plan(Effects effects) {
        this.effects = effects;
    }

    /** The task has ended with this result, and there is nothing to execute. */
    public static Plan done(Done done) {
        return new Plan(done.ofPlan());
    }

    /**
     * The same with tasks that would undo what the plan has changed, see {@link Done#undoing}.
     *
     * @param undo JSON objects, at most 64, and 16 KiB together; kept where {@link Task#undo} is true
     * @throws DoNotRetryException for more tasks than that, with both numbers
     */
    public static Plan done(Done done, List<String> undo) throws DoNotRetryException {
        return new Plan(done.undoing("Plan", undo).ofPlan());
    }

    /** A plan that changes nothing so far. */
    public static Builder builder() {
        return new Builder();
    }

    /** The plan as it is written. */
    Output output() {
        return effects;
    }

    /** Sets one field after the other. A value out of bounds throws IllegalArgumentException with the field and the value. */
    public static final class Builder {
        private final Map<String, String> members = new LinkedHashMap<>();

        private Builder() {}

        /** From -99999 to 99999, higher ones go first. */
        public Builder relPriority(int relPriority) {
            if (Math.abs((long) relPriority) > MOST_PRIORITY) {
                throw new IllegalArgumentException("Plan: relPriority has " + relPriority + ", -" + MOST_PRIORITY
                        + " to " + MOST_PRIORITY + " is allowed");
            }
            return with("relPriority", Integer.toString(relPriority));
        }

        /** At most 8 names of 1 to 128 printable characters of ASCII without blanks. */
        public Builder tags(List<String> tags) {
            return with("tags", names("tags", tags));
        }

        /** The resources that the execution needs: at most 8 names that the pool declares. */
        public Builder resources(List<String> resources) {
            return with("resources", names("resources", resources));
        }

        /** The key by which tasks of a pool take turns: a name. */
        public Builder fairnessKey(String fairnessKey) {
            return with("fairnessKey", name("fairnessKey", fairnessKey));
        }

        /**
         * The function's arguments in place of the task's, each as its JSON text: 64 KiB together at most.
         *
         * @throws DoNotRetryException for more than that, with both numbers
         */
        public Builder args(List<String> args) throws DoNotRetryException {
            for (int i = 0; i < args.size(); i++) {
                JsonValues.value("Plan: args[" + i + "]", args.get(i));
            }
            String all = "[" + String.join(",", args) + "]";
            int bytes = all.getBytes(StandardCharsets.UTF_8).length;
            if (bytes > Effects.MOST_TASK_BYTES) {
                throw new DoNotRetryException(
                        "Plan: args has " + bytes + " bytes of JSON, at most " + Effects.MOST_TASK_BYTES + " are kept");
            }
            return with("args", all);
        }

        /**
         * Tasks that are created in the step that records the plan.
         *
         * @param tasks JSON objects, at most 64 with 200 nodes, and 64 KiB together
         * @throws DoNotRetryException for more tasks than that, with both numbers
         */
        public Builder tasks(List<String> tasks) throws DoNotRetryException {
            return with("tasks", Effects.tasks("Plan", "tasks", tasks, Effects.MOST_TASK_BYTES));
        }

        /**
         * Tasks that are created likewise, and that the function waits for: it is called when all of them have passed. The
         * task fails with the first of them that fails.
         *
         * @param tasks JSON objects, at most 64 with 200 nodes, and 64 KiB together
         * @throws DoNotRetryException for more tasks than that, with both numbers
         */
        public Builder before(List<String> tasks) throws DoNotRetryException {
            return with("before", Effects.tasks("Plan", "before", tasks, Effects.MOST_TASK_BYTES));
        }

        /**
         * Tasks that would undo what the plan has changed.
         *
         * @param tasks JSON objects, at most 64, and 16 KiB together; kept where {@link Task#undo} is true
         * @throws DoNotRetryException for more tasks than that, with both numbers
         */
        public Builder undo(List<String> tasks) throws DoNotRetryException {
            return with("undo", Effects.tasks("Plan", "undo", tasks, Effects.MOST_UNDO_BYTES));
        }

        private Builder with(String field, List<String> member) {
            members.remove(field);
            member.forEach(text -> members.put(field, text));
            return this;
        }

        /** The plan. */
        public Plan build() {
            return new Plan(Effects.of(List.copyOf(members.values())));
        }

        private Builder with(String field, String json) {
            members.put(field, "\"" + field + "\":" + json);
            return this;
        }

        private static String names(String field, List<String> names) {
            if (names.size() > MOST_NAMES) {
                throw new IllegalArgumentException(
                        "Plan: " + field + " has " + names.size() + " names, at most " + MOST_NAMES + " are allowed");
            }
            return "["
                    + String.join(
                            ",", names.stream().map(name -> name(field, name)).toList()) + "]";
        }

        private static String name(String field, String name) {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException("Plan: " + field + " has \"" + name
                        + "\", 1 to 128 printable characters of ASCII without blanks are allowed");
            }
            return "\"" + name.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
        }
    }
}
