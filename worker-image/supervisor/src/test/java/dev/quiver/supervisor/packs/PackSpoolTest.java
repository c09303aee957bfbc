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
import dev.quiver.lifecycle.history.PackPlace;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.supervisor.execution.PrintedStream;

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

    private static Optional<PackPlace> place(String pack, long at, long length) {
        return Optional.of(new PackPlace(pack, at, length));
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

    /** A stream whose bytes tell their places; it is closed once. */
    private static final class Printed implements PrintedStream {

        private final int bytes;
        private final AtomicInteger closed = new AtomicInteger();
        private volatile boolean readable = true;

        Printed(int bytes) {
            this.bytes = bytes;
        }

        static byte at(long place) {
            return (byte) (place * 31 + place / 251);
        }

        @Override
        public long bytes() {
            return bytes;
        }

        @Override
        public Optional<byte[]> read(long from, int length) {
            byte[] part = new byte[length];
            for (int i = 0; i < length; i++) {
                part[i] = at(from + i);
            }
            return readable ? Optional.of(part) : Optional.empty();
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }

    @Test
    void aSmallStreamSharesAPackWithResults() throws Exception {
        try (PackSpool spool = new PackSpool(this::store, Duration.ofMillis(300))) {
            Printed small = new Printed(5);
            spool.take("s", "u", result("[1]"));
            assertThat(spool.take("s", "u", small, false)).isEqualTo(new PackPlace("s/1", 3, 5));
            assertThat(small.closed).hasValue(1);
            await().until(() -> spool.stored() == 1);
        }
        assertThat(sent.getFirst().members().get(1).bytes()).containsExactly(0, 31, 62, 93, 124);
    }

    @Test
    void aLargeStreamHasPacksOfItsOwnOneAfterTheOtherAndIsSentAgainWhereItWasNotTaken() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        int bytes = 2 * PackPlace.SERIES_BYTES + 70_000;
        Printed large = new Printed(bytes);
        try (PackSpool spool = new PackSpool(
                (session, number, run, body) -> tries.incrementAndGet() == 2
                        ? new PackDoor.Reply(PackDoor.Answer.LATER, "away")
                        : store(session, number, run, body),
                Duration.ofMillis(1))) {
            assertThat(spool.take("s", "u", large, false)).isEqualTo(new PackPlace("s/3", 0, bytes));
            assertThat(spool.take("s", "u", result("[1]"))).isEqualTo(place("s/4", 0, 3));
            await().until(() -> spool.stored() == 4);
            await().until(() -> large.closed.get() == 1);
            assertThat(spool.dropped()).isZero();
        }
        List<Sent> series = sent.stream().filter(pack -> pack.number() < 4).toList();
        assertThat(series).extracting(Sent::number).containsExactly(1L, 2L, 3L);
        long at = 0;
        for (Sent pack : series) {
            for (PackBody.Member member : pack.members()) {
                byte[] read = member.bytes();
                assertThat(read[0]).isEqualTo(Printed.at(at));
                at += read.length;
                assertThat(read[read.length - 1]).isEqualTo(Printed.at(at - 1));
            }
        }
        assertThat(at).isEqualTo(bytes);
    }

    @Test
    void streamsThatFindNoRoomAreNowhereAndPassesFindLess() {
        PackSpool spool = new PackSpool(
                (session, number, run, body) -> new PackDoor.Reply(PackDoor.Answer.LATER, "away"),
                Duration.ofMillis(1));
        int half = (int) (PackSpool.DISK_BYTES / 2);
        Printed first = new Printed(half);
        assertThat(spool.take("s", "u", first, false).isNowhere()).isFalse();
        Printed pass = new Printed(1 << 20);
        assertThat(spool.take("s", "u", pass, true)).isEqualTo(PackPlace.nowhere(1 << 20));
        assertThat(pass.closed).hasValue(1);
        assertThat(spool.take("s", "u", new Printed(1 << 20), false).isNowhere())
                .isFalse();
        assertThat(spool.take("s", "u", new Printed(half), false).isNowhere()).isTrue();
        assertThat(spool.dropped()).isEqualTo(2);
        spool.close();
        assertThat(first.closed).hasValue(1);
    }

    @Test
    void aStreamThatCannotBeReadIsNowhereOrDropped() {
        try (PackSpool spool = new PackSpool(this::store, Duration.ofMillis(1))) {
            assertThat(spool.take("s", "u", PrintedStream.lost(5), false)).isEqualTo(PackPlace.nowhere(5));
            assertThat(spool.take("s", "u", PrintedStream.lost(1 << 20), false)).isEqualTo(PackPlace.nowhere(1 << 20));
            assertThat(spool.dropped()).isEqualTo(2);
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
