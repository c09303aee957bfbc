package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.lifecycle.worker.WorkerSession;

/** The list that the program of a set writes, under the fence of its claim. */
class ListingIT {

    private static final String PROGRAM = TaskSetControl.listing("u");

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private RedisStore store;
    private World world;
    private WorkerSession session;
    private WorkerSession other;

    @BeforeEach
    void open() {
        store = REDIS.open();
        world = new World(new Lifecycle(store));
        session = world.session("a");
        other = world.session("b");
        world.open(PROGRAM, 1, TaskSetLimits.DEFAULT);
    }

    @AfterEach
    void close() {
        world.close();
        store.close();
    }

    private static Claim claim(WorkerSession by) {
        return World.claim(by, PROGRAM, 1).getFirst();
    }

    private static boolean list(WorkerSession by, Claim claim, int page, String text) {
        WorkSource source = by.source(PROGRAM).orElseThrow();
        return source.list(claim, page, text);
    }

    private List<String> pages() {
        return Stream.iterate(0, page -> page + 1)
                .map(page -> world.control.page(PROGRAM, page))
                .takeWhile(Optional::isPresent)
                .map(Optional::get)
                .toList();
    }

    @Test
    void pagesStandInTheirOrderAndARepeatChangesNothing() {
        Claim claim = claim(session);
        assertThat(claim.task().lists()).isTrue();
        assertThat(list(session, claim, 0, "a\nb\n")).isTrue();
        assertThat(list(session, claim, 1, "grün\n")).isTrue();
        assertThat(list(session, claim, 1, "grün\n")).isTrue();
        assertThat(pages()).containsExactly("a\nb\n", "grün\n");
        World.step(session, PROGRAM, List.of(World.passed(claim)), 0);
        assertThat(world.look(PROGRAM).status()).isEqualTo(TaskSetState.SUCCEEDED);
        assertThat(pages()).as("the list outlives its program").hasSize(2);
    }

    @Test
    void theNextTrialBeginsTheListAnew() {
        Claim first = claim(session);
        list(session, first, 0, "a\n");
        list(session, first, 1, "b\n");
        World.step(session, PROGRAM, List.of(World.failed(first, Retry.AT_ONCE)), 0);
        Claim second = claim(other);
        assertThat(list(other, second, 0, "c\n")).isTrue();
        assertThat(pages()).containsExactly("c\n");
    }

    @Test
    void whoDoesNotHoldTheProgramBringsNothing() {
        Claim claim = claim(session);
        assertThat(list(other, claim, 0, "foreign\n")).isFalse();
        World.step(session, PROGRAM, List.of(new Settlement.Returned(claim)), 0);
        assertThat(list(session, claim, 0, "late\n")).isFalse();
        Claim again = claim(session);
        assertThat(again.fence()).isNotEqualTo(claim.fence());
        assertThat(list(session, claim, 0, "earlier claim\n")).isFalse();
        assertThat(pages()).isEmpty();
    }

    @Test
    void aProgramThatWasCalledOffBringsNothing() {
        Claim claim = claim(session);
        WorkSource source = session.source(PROGRAM).orElseThrow();
        world.control.changeStatus(PROGRAM, new StatusChange.Cancel());
        assertThat(source.list(claim, 0, "late\n")).isFalse();
        world.control.drop(PROGRAM);
        assertThat(source.list(claim, 0, "later\n")).isFalse();
        assertThat(pages()).isEmpty();
    }

    @Test
    void theListGoesWithItsProgram() {
        Claim claim = claim(session);
        list(session, claim, 0, "a\n");
        assertThat(world.control.present()).contains(PROGRAM);
        world.control.drop(PROGRAM);
        assertThat(pages()).isEmpty();
        assertThat(world.control.present()).doesNotContain(PROGRAM);
        List<String> left = store.ask(commands -> commands.keys(world.keyspace.prefix() + "*listing*"));
        assertThat(left)
                .as("but for the tombstone")
                .allSatisfy(key -> assertThat(key).endsWith(":tombstone"));
    }

    @Test
    void aPageOutOfBoundsIsRefused() {
        Claim claim = claim(session);
        assertThatThrownBy(() -> list(session, claim, 8192, "a\n")).hasMessageContaining("out of bounds");
        assertThatThrownBy(() -> list(session, claim, 0, "x".repeat(WorkSource.MOST_PAGE_BYTES + 1)))
                .hasMessageContaining("out of bounds");
        assertThat(list(session, claim, 0, "x".repeat(WorkSource.MOST_PAGE_BYTES)))
                .isTrue();
    }

    @Test
    void anOrdinarySetWritesNoList() {
        world.open("u", 1, TaskSetLimits.DEFAULT);
        Claim claim = World.claim(session, "u", 1).getFirst();
        assertThat(claim.task().lists()).isFalse();
        assertThat(TaskSetControl.owner(PROGRAM)).isEqualTo("u").isEqualTo(TaskSetControl.owner("u"));
    }
}
