package dev.quiver.lifecycle.task.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.rows.StoredResult;
import dev.quiver.lifecycle.task.work.BackedOff;
import dev.quiver.lifecycle.task.work.IteratorAnswer;
import dev.quiver.lifecycle.task.work.Relocation;
import dev.quiver.lifecycle.task.work.TaskLeaf;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.NumberedStep;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.SessionCalls;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SettlementRows;
import dev.quiver.lifecycle.worker.SourceStatus;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.TaskFailure;
import dev.quiver.lifecycle.worker.TaskFailureJson;
import dev.quiver.lifecycle.worker.TrialRows;

/** Arguments and answer of a step of a pool's Tasks. No I/O. */
final class TaskStep {

    private static final int FIELDS = 10;

    private TaskStep() {}

    static List<String> arguments(SessionCalls session, String source, StepRequest request) {
        request.checkBounds();
        TrialRows record = TrialRows.of(source, request.settlements(), session.room());
        List<String> all = new ArrayList<>(List.of(
                session.keys().session(),
                "",
                "",
                Integer.toString(request.settlements().size()),
                Integer.toString(request.served().size()),
                record.named(),
                record.rows(),
                record.marks(),
                ""));
        for (Settlement settlement : request.settlements()) {
            SettlementRows.add(all, source, backedOff(settlement), TaskStep::passed);
        }
        all.addAll(request.served());
        request.places().forEach(place -> all.add(place.text()));
        return all;
    }

    private static Settlement backedOff(Settlement settlement) {
        return settlement.claim().task() instanceof TaskLeaf leaf
                ? BackedOff.of(settlement, leaf.backoff(), leaf.failed() + 1)
                : settlement;
    }

    private static SettlementRows.Passed passed(Settlement.Passed passed) {
        TaskLeaf leaf = (TaskLeaf) passed.claim().task();
        if (leaf.iterator() && leaf.brings()) {
            return new SettlementRows.Passed(
                    "i", passed.result().map(TaskResult::json).orElse("{}"));
        }
        if (leaf.iterator()) {
            return iterated(leaf, passed.result());
        }
        return passed.result()
                .map(result -> new SettlementRows.Passed("p", StoredResult.text(result)))
                .orElse(SettlementRows.Passed.PLAIN);
    }

    /** An answer that makes no sense is a failed attempt; none is the answer null. */
    private static SettlementRows.Passed iterated(TaskLeaf leaf, Optional<TaskResult> result) {
        try {
            TaskResult answer = result.orElseGet(() -> TaskResult.of("null"));
            return new SettlementRows.Passed(
                    "i",
                    IteratorAnswer.of(
                            answer, leaf.pool(), leaf.room(), leaf.body().flatMap(TaskBody::recording)));
        } catch (IllegalArgumentException senseless) {
            TaskFailure failure = TaskFailure.of(
                    leaf.name(),
                    leaf.trial(),
                    Optional.empty(),
                    Optional.empty(),
                    "AnswerInvalid",
                    senseless.getMessage());
            return new SettlementRows.Passed("f", TaskFailureJson.write(failure));
        }
    }

    static StepCall.Outcome read(
            SessionCalls session, String source, Consumer<List<String>> commands, long number, ScriptReply reply) {
        return switch (reply.code()) {
            case CONDEMNED -> new StepCall.Outcome.Condemned();
            case OK -> {
                session.executed().learned(reply.number(3));
                long others = reply.number(5);
                session.room().learned(reply.number(6));
                Optional<Recording> ofQueue = Recording.known(reply.text(7));
                int left = Math.toIntExact(reply.number(8));
                List<String> rest = new ArrayList<>(left);
                for (int i = 0; i < left; i++) {
                    rest.add(reply.text(9 + i));
                }
                yield new StepCall.Outcome.Done(
                        NumberedStep.verdicts(reply.text(4)),
                        claims(source, number, reply, 9 + left, ofQueue),
                        SourceStatus.RUNNING,
                        reply.number(1),
                        reply.number(2) == 1,
                        others < 0 ? OptionalLong.empty() : OptionalLong.of(others),
                        left == 0 ? Optional.empty() : Optional.of(() -> commands.accept(rest)));
            }
            default -> throw reply.unexpected();
        };
    }

    /**
     * The claims of an answer.
     *
     * @param from where they begin
     * @param ofQueue how trees without a resource are recorded; absent: they are not
     */
    static List<Claim> claims(String source, long fence, ScriptReply reply, int from, Optional<Recording> ofQueue) {
        List<Claim> claims = new ArrayList<>();
        for (int at = from; at < reply.size(); at += FIELDS) {
            claims.add(new Claim(
                    source,
                    reply.text(at),
                    fence,
                    Place.parse(reply.text(at + 1)),
                    TaskLeaf.of(
                                    source,
                                    reply.text(at),
                                    Math.toIntExact(reply.number(at + 2)),
                                    Math.toIntExact(reply.number(at + 3)),
                                    Math.toIntExact(reply.number(at + 4)),
                                    reply.text(at + 5),
                                    reply.text(at + 6),
                                    reply.text(at + 7),
                                    reply.text(at + 8),
                                    Relocation.parse(reply.text(at + 9)))
                            .ofQueue(ofQueue)));
        }
        return List.copyOf(claims);
    }
}
