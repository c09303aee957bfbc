package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.quiver.slots.layout.BatchDescriptor;

/** The table of several tasks, against the golden bytes, and its bounds. */
class BatchTest {
    private static final TaskHash HASH = new TaskHash();

    private static Assignment call(String id, Payload payload) {
        HandlerCall call = new HandlerCall("table.sum", Map.of("QUIVER_TASK", id));
        return new Assignment(id, "name of " + id, call, payload, 1, 3, Optional.of(Duration.ofSeconds(2)));
    }

    private static Batch batch(long room, Assignment... tasks) throws InvalidAssignmentException {
        Batch.Layout layout = new Batch.Layout(room);
        for (Assignment task : tasks) {
            if (!layout.add(task, CommandCodec.encode(task.execution()))) {
                break;
            }
        }
        return layout.finish(HASH);
    }

    private static byte[] input(Batch batch) {
        byte[] input = Arrays.copyOf(batch.table(), (int) batch.inputBytes());
        for (Batch.Entry entry : batch.tasks()) {
            byte[] payload = entry.task().payload().bytes();
            System.arraycopy(payload, 0, input, (int) entry.payloadAt(), payload.length);
            System.arraycopy(entry.record(), 0, input, (int) entry.recordAt(), entry.record().length);
        }
        return input;
    }

    @Test
    void writesTheGoldenInput() throws Exception {
        Batch batch = batch(
                4096,
                call("a", Payload.json("{\"a\":1}")),
                call("b", Payload.none()),
                call("c", Payload.locator("file:///c", DataFormat.ARROW)));
        assertThat(input(batch)).isEqualTo(Golden.bytes("batch"));
    }

    @Test
    void readsBackWhichTasksItHas() {
        byte[] golden = Golden.bytes("batch");
        assertThat(Batch.count(golden)).contains(3);
        assertThat(Batch.read(golden, 3, 7))
                .containsExactly(
                        new DispatchedTask(7, HASH.of("a"), 1),
                        new DispatchedTask(7, HASH.of("b"), 1),
                        new DispatchedTask(7, HASH.of("c"), 1));
    }

    @Test
    void endsBeforeTheTaskThatDoesNotFit() throws Exception {
        Assignment task = call("a", Payload.none());
        long two = batch(4096, task, task).inputBytes();
        assertThat(batch(two, task, task, task).tasks()).hasSize(2);
        assertThat(batch(two - 1, task, task, task).tasks()).hasSize(1);
    }

    @Test
    void hasAtMostAsManyTasksAsTheTableOfOutcomes() throws Exception {
        Assignment[] many = new Assignment[BatchDescriptor.MAX_TASKS + 1];
        Arrays.fill(many, call("a", Payload.none()));
        assertThat(batch(1 << 20, many).tasks()).hasSize(BatchDescriptor.MAX_TASKS);
    }

    @Test
    void payloadsAndRecordsLieAtMultiplesOfEight() throws Exception {
        Batch batch = batch(4096, call("a", Payload.json("1")), call("b", Payload.json("22")));
        assertThat(batch.tasks()).allSatisfy(entry -> {
            assertThat(entry.payloadAt() % 8).isZero();
            assertThat(entry.recordAt() % 8).isZero();
        });
        assertThat(List.of(
                        batch.tasks().get(0).payloadAt(), batch.tasks().get(1).payloadAt()))
                .isSorted();
    }

    @Test
    void aTableThatIsNoneHasNoTasks() {
        byte[] other = Golden.bytes("batch");
        other[0] = 0;
        assertThat(Batch.count(other)).isEmpty();
        byte[] tooMany = Golden.bytes("batch");
        tooMany[BatchDescriptor.COUNT_AT] = 65;
        assertThat(Batch.count(tooMany)).isEmpty();
    }
}
