package dev.quiver.lifecycle.taskset;

import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.TaskEstimate;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.OrdinalKeys;
import dev.quiver.lifecycle.ordinals.OrdinalKind;
import dev.quiver.lifecycle.ordinals.OrdinalTasks;
import dev.quiver.lifecycle.ordinals.SpecReader;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.SessionCalls;
import dev.quiver.lifecycle.worker.Settlement;

/**
 * TaskSets as sources of numbered tasks. Their sources are their uids, and they report to the keyspace's changed sets.
 *
 * @param store where they are
 * @param keyspace of the sets
 */
public record TaskSetKind(RedisStore store, Keyspace keyspace) implements OrdinalKind {

    @Override
    public String label() {
        return "TaskSet";
    }

    /** Kinds of work that are no TaskSets mark their sources by a colon, which no uid has. */
    @Override
    public boolean owns(String source) {
        return TaskSetKeys.isUid(source);
    }

    @Override
    public OrdinalKeys keys(String source) {
        return new TaskSetKeys(keyspace, source).source();
    }

    @Override
    public Optional<OrdinalTasks> tasks(String source) {
        return new SpecReader(store).read(keys(source)).map(spec -> new Tasks(source, spec));
    }

    @Override
    public boolean list(SessionCalls session, Claim claim, int page, String text) {
        TaskSetScriptKeys keys = TaskSetScriptKeys.of(session.keys(), claim.uid());
        ScriptReply reply = store.run(
                TaskSetScripts.LIST,
                TaskSetScripts.LIST.keys(keys::key, List.of()),
                session.keys().session(),
                session.executed().argument(),
                claim.id(),
                Long.toString(claim.fence()),
                Integer.toString(page),
                text);
        if (reply.code() != ScriptCode.OK) {
            return false;
        }
        session.executed().learned(reply.number("executed"));
        return true;
    }

    private record Tasks(String uid, ExecutionSpec spec) implements OrdinalTasks {

        @Override
        public List<String> handlers() {
            return spec.handler().stream().toList();
        }

        /** Tasks of which all output is kept come one at a time. */
        @Override
        public Optional<Integer> batch() {
            return spec.recording().filter(how -> how.keepsStreams(false)).isPresent() ? Optional.of(1) : spec.batch();
        }

        @Override
        public boolean speculates() {
            return spec.speculates();
        }

        @Override
        public RunnableTask task(long ordinal, int trial, Optional<String> payload) {
            return new TaskSetTask(uid, spec, ordinal, trial, payload);
        }

        @Override
        public RunnableTask task(
                long ordinal, int trial, Optional<String> payload, String fence, Optional<TaskEstimate> estimate) {
            return new TaskSetTask(uid, spec, ordinal, trial, payload, estimate);
        }

        @Override
        public Settlement sent(Settlement settlement) {
            return settlement instanceof Settlement.Failed failed
                            && ((TaskSetTask) failed.claim().task()).muted()
                    ? failed.pending()
                    : spec.failures().applied(settlement);
        }
    }
}
