package dev.quiver.supervisor.packs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.quiver.lifecycle.history.MalformedEntryException;
import dev.quiver.lifecycle.history.PackBody;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.history.TrialRow;

@Timeout(60)
class PackSpoolTest {

    private record Sent(String session, long number, String run, List<PackBody.Member> members) {}

    private final List<Sent> sent = Collections.synchronizedList(new ArrayList<>());

    private PackDoor.Reply store(String session, long number, String run, byte[] body) {
        try {
            sent.add(new Sent(session, number, run, PackBody.read(body)));
            return new PackDoor.Reply(PackDoor.Answer.STORED, "");
        } catch (MalformedEntryException e) {
            return new PackDoor.Reply(PackDoor.Answer.REFUSED, e.getMessage());
        }
    }

    private static TrialRow.Result result(String text) {
        return new TrialRow.Result(ResultFormat.JSON, text.getBytes(StandardCharsets.UTF_8));
    }

    private static TrialRow.Result result(int bytes) {
        return new TrialRow.Result(ResultFormat.BYTES, new byte[bytes]);
    }

    private static Optional<TrialRow.PackPlace> place(String pack, long at, long length) {
        return Optional.of(new TrialRow.PackPlace(pack, at, length));
    }

    @Test
    void resultsOfARunShareAPackAndEachKnowsItsPlaceAtOnce() throws Exception {
        try (PackSpool spool = new PackSpool(this::store, Duration.ofMillis(300))) {
            assertThat(spool.take("s", "u1", result("[1]"))).isEqualTo(place("s/1", 0, 3));
            assertThat(spool.take("s", "u2", result("[22]"))).isEqualTo(place("s/2", 0, 4));
            assertThat(spool.take("s", "u1", result("[333]"))).isEqualTo(place("s/1", 3, 5));
            await().until(() -> spool.stored() == 2);
            assertThat(spool.take("s", "u1", result("[4]"))).isEqualTo(place("s/3", 0, 3));
        }
        assertThat(sent).extracting(Sent::number).containsExactlyInAnyOrder(1L, 2L, 3L);
        Sent first =
                sent.stream().filter(pack -> pack.number() == 1).findFirst().orElseThrow();
        assertThat(first.run()).isEqualTo("u1");
        assertThat(first.members()).hasSize(2);
        assertThat(first.members().get(1).bytes()).asString().isEqualTo("[333]");
    }

    @Test
    void aFullPackIsSentBeforeItsTime() {
        try (PackSpool spool = new PackSpool(this::store, Duration.ofMinutes(5))) {
            int eighth = PackSpool.PACK_BYTES / 8;
            for (int i = 0; i < 8; i++) {
                assertThat(spool.take("s", "u", result(eighth)).orElseThrow().pack())
                        .isEqualTo("s/1");
            }
            assertThat(spool.take("s", "u", result(eighth))).isEqualTo(place("s/2", 0, eighth));
            await().until(() -> spool.stored() == 1);
        }
        assertThat(sent).as("the end sends what is open").hasSize(2);
    }

    @Test
    void whereThereIsNoRoomResultsAreDroppedAndCountedAndNobodyWaits() throws Exception {
        CountDownLatch away = new CountDownLatch(1);
        try (PackSpool spool = new PackSpool(
                (session, number, run, body) -> {
                    try {
                        away.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return store(session, number, run, body);
                },
                Duration.ofMillis(1))) {
            long begun = System.nanoTime();
            int taken = 0;
            while (spool.hasRoom(PackBody.MEMBER_BYTES)) {
                assertThat(spool.take("s", "u", result(PackBody.MEMBER_BYTES))).isPresent();
                taken++;
            }
            assertThat(taken).isEqualTo((int) (PackSpool.BYTES / PackBody.MEMBER_BYTES));
            assertThat(spool.take("s", "u", result(PackBody.MEMBER_BYTES))).isEmpty();
            assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun))
                    .isLessThan(10);
            assertThat(spool.dropped()).isEqualTo(1);
            away.countDown();
            await().until(() -> spool.hasRoom(PackSpool.BYTES));
        }
    }

    @Test
    void aPackThatIsNotTakenIsSentAgainUnderItsNumber() {
        AtomicInteger tries = new AtomicInteger();
        try (PackSpool spool = new PackSpool(
                (session, number, run, body) -> tries.incrementAndGet() == 1
                        ? new PackDoor.Reply(PackDoor.Answer.LATER, "away")
                        : store(session, number, run, body),
                Duration.ofMillis(1))) {
            spool.take("s", "u", result("[1]"));
            await().until(() -> spool.stored() == 1);
            assertThat(sent.getFirst().number()).isEqualTo(1);
            assertThat(spool.dropped()).isZero();
        }
    }

    @Test
    void aPackThatIsRefusedIsDropped() {
        try (PackSpool spool = new PackSpool(
                (session, number, run, body) -> new PackDoor.Reply(PackDoor.Answer.REFUSED, "gone"),
                Duration.ofMillis(1))) {
            spool.take("s", "u", result("[1]"));
            await().until(() -> spool.dropped() == 1);
            assertThat(spool.hasRoom(PackSpool.BYTES)).isTrue();
        }
    }

    @Test
    void theEndWaitsForNobodyForLong() {
        long begun = System.nanoTime();
        PackSpool spool = new PackSpool(
                (session, number, run, body) -> new PackDoor.Reply(PackDoor.Answer.LATER, "away"),
                Duration.ofMillis(1));
        spool.take("s", "u", result("[1]"));
        spool.close();
        assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun)).isLessThan(20);
        assertThat(spool.take("s", "u", result("[1]"))).isEmpty();
    }
}
