package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.slots.layout.ControlDescriptor;
import dev.quiver.slots.layout.ExecDescriptor;
import dev.quiver.slots.rig.AgentPod;

/** A handler asks for more time. */
class DeadlineIT {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private AgentPod pod;
    private Puppet puppet;

    @BeforeEach
    void start() {
        pod = AgentPod.bare(new Geometry(2, 8192, 8192));
        pod.startBoard(BoardConfig.Start.FRESH);
        puppet = Puppet.of(pod).connected(pod);
    }

    @AfterEach
    void stop() {
        puppet.close();
        pod.close();
    }

    private long deadline(int slot) {
        try (RandomAccessFile control =
                new RandomAccessFile(pod.in().resolve("control").toFile(), "r")) {
            control.seek(ControlDescriptor.slot(slot) + ControlDescriptor.DEADLINE);
            return Long.reverseBytes(control.readLong());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void wants(int slot, long deadline) {
        puppet.does("put " + slot + " " + ExecDescriptor.WANTED_DEADLINE + " Q " + deadline);
    }

    @Test
    void getsWhatItWantsUpToItsOwnLimitFromThen() {
        pod.dispatch(0, Assignment.of("t", HandlerCall.of("f")).within(LIMIT));
        puppet.does("begin 0");
        long first = deadline(0);
        wants(0, first + 1000);
        await().until(() -> deadline(0) == first + 1000);
        wants(0, Long.MAX_VALUE);
        await().until(() -> deadline(0) > first + 1000);
        assertThat(deadline(0)).isLessThanOrEqualTo(System.nanoTime() + LIMIT.toNanos());
        long second = deadline(0);
        await().until(() -> deadline(0) > second); // it still wants more, and time goes by
    }

    @Test
    void getsNothingThatIsEarlierOrWithoutALimitOrNotRunning() {
        pod.dispatch(0, Assignment.of("t", HandlerCall.of("f")));
        pod.dispatch(1, Assignment.of("t", HandlerCall.of("f")).within(LIMIT));
        long first = deadline(1);
        wants(1, Long.MAX_VALUE); // pending: what stands there is of the task before
        puppet.does("begin 0");
        wants(0, Long.MAX_VALUE);
        SlotResult result = puppetEnds();
        assertThat(deadline(0)).isZero();
        assertThat(deadline(1)).isEqualTo(first);
        puppet.does("begin 1");
        wants(1, 5);
        pod.board().acknowledge(0, result.generation());
        puppet.does("clean 0");
        pod.await(SlotEvent.Ready.class);
        assertThat(deadline(1)).isEqualTo(first);
    }

    /** Two sweeps are over by then: the heartbeat of each is waited for. */
    private SlotResult puppetEnds() {
        for (int i = 0; i < 2; i++) {
            long heartbeat = heartbeat();
            await().until(() -> heartbeat() - heartbeat > Duration.ofMillis(200).toNanos());
        }
        puppet.does("end 0");
        return pod.await(SlotEvent.Finished.class).result();
    }

    private long heartbeat() {
        try (RandomAccessFile control =
                new RandomAccessFile(pod.in().resolve("control").toFile(), "r")) {
            control.seek(ControlDescriptor.HEARTBEAT_AT);
            return Long.reverseBytes(control.readLong());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
