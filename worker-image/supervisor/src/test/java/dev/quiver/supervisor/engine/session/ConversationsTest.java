package dev.quiver.supervisor.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.worker.SourceStatus;

class ConversationsTest {

    private final Conversations desks = new Conversations(desk -> null);

    private Conversation idle(String uid) {
        Conversation desk = desks.open(MemorySource.named(uid), Handlers.NONE);
        desk.learned(SourceStatus.RUNNING, 0, true, true);
        return desk;
    }

    @Test
    void remembersASetWithNothingToDoForTenSeconds() {
        idle("a");
        desks.clearResting(0);
        desks.clearResting(TimeUnit.SECONDS.toNanos(9));
        assertThat(desks.knows("a")).isTrue();
        desks.clearResting(TimeUnit.SECONDS.toNanos(10));
        assertThat(desks.knows("a")).isFalse();
        assertThat(desks.find("a")).isEmpty();
    }

    @Test
    void countsTheTimeFromItsLastWork() {
        Conversation desk = idle("a");
        desks.clearResting(0);
        desk.invited();
        desks.clearResting(TimeUnit.SECONDS.toNanos(9));
        desk.learned(SourceStatus.RUNNING, 0, true, true);
        desks.clearResting(TimeUnit.SECONDS.toNanos(12));
        desks.clearResting(TimeUnit.SECONDS.toNanos(21));
        assertThat(desks.knows("a")).isTrue();
    }

    @Test
    void forgetsASetThatIsOverAtOnce() {
        idle("a").learned(SourceStatus.OVER);
        desks.clearResting(0);
        assertThat(desks.knows("a")).isFalse();
    }

    @Test
    void remembersTheLatestFewOnly() {
        for (String uid : List.of("a", "b", "c", "d", "e", "f")) {
            idle(uid);
        }
        desks.clearResting(0);
        assertThat(desks.all()).extracting(Conversation::uid).containsExactly("c", "d", "e", "f");
    }

    @Test
    void theSetThatThePoolNamedLastIsClaimedFromFirst() {
        Conversation first = idle("a");
        Conversation second = idle("b");
        first.invited();
        second.invited();
        assertThat(desks.claiming()).contains(first);
        desks.prefer(second);
        assertThat(desks.claiming()).contains(second);
        second.learned(SourceStatus.RUNNING, 0, true, true);
        assertThat(desks.claiming()).as("while the preferred one has nothing").contains(first);
    }

    @Test
    void remembersFewSetsWhoseTurnItIsNot() {
        for (String uid : List.of("a", "b", "c", "d", "e", "f")) {
            idle(uid).invited();
        }
        Conversation held = desks.find("b").orElseThrow();
        held.joined();
        desks.prefer(desks.find("c").orElseThrow());
        desks.clearResting(0);
        assertThat(desks.all()).extracting(Conversation::uid).containsExactly("a", "b", "c", "d", "e", "f");
        desks.prefer(desks.find("f").orElseThrow());
        idle("g").invited();
        desks.clearResting(0);
        assertThat(desks.all())
                .as("the one with the turn, the one with a task, four others")
                .extracting(Conversation::uid)
                .containsExactly("b", "c", "d", "e", "f", "g");
    }

    @Test
    void anInvitationOutlastsTheAnswerOfAStepThatIsOlder() {
        Conversation desk = idle("a");
        desk.stepping(true);
        desk.invited();
        desk.stepping(false);
        desk.learned(SourceStatus.RUNNING, 0, false, false);
        assertThat(desk.claims()).isTrue();

        desk.stepping(true);
        desk.stepping(false);
        desk.learned(SourceStatus.RUNNING, 0, true, true);
        assertThat(desk.claims()).as("a younger answer").isFalse();
    }
}
