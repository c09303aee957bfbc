package dev.quiver.supervisor.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.worker.SourceStatus;

class ConversationsTest {

    private final Conversations conversations = new Conversations(conversation -> null);

    private Conversation idle(String uid) {
        Conversation conversation = conversations.open(MemorySource.named(uid), Handlers.NONE);
        conversation.learned(SourceStatus.RUNNING, 0, true, true);
        return conversation;
    }

    @Test
    void remembersASetWithNothingToDoForTenSeconds() {
        idle("a");
        conversations.clearResting(0);
        conversations.clearResting(TimeUnit.SECONDS.toNanos(9));
        assertThat(conversations.knows("a")).isTrue();
        conversations.clearResting(TimeUnit.SECONDS.toNanos(10));
        assertThat(conversations.knows("a")).isFalse();
        assertThat(conversations.find("a")).isEmpty();
    }

    @Test
    void countsTheTimeFromItsLastWork() {
        Conversation conversation = idle("a");
        conversations.clearResting(0);
        conversation.invited();
        conversations.clearResting(TimeUnit.SECONDS.toNanos(9));
        conversation.learned(SourceStatus.RUNNING, 0, true, true);
        conversations.clearResting(TimeUnit.SECONDS.toNanos(12));
        conversations.clearResting(TimeUnit.SECONDS.toNanos(21));
        assertThat(conversations.knows("a")).isTrue();
    }

    @Test
    void forgetsASetThatIsOverAtOnce() {
        idle("a").learned(SourceStatus.OVER);
        conversations.clearResting(0);
        assertThat(conversations.knows("a")).isFalse();
    }

    @Test
    void remembersTheLatestFewOnly() {
        for (String uid : List.of("a", "b", "c", "d", "e", "f")) {
            idle(uid);
        }
        conversations.clearResting(0);
        assertThat(conversations.all()).extracting(Conversation::uid).containsExactly("c", "d", "e", "f");
    }

    @Test
    void theSetThatThePoolNamedLastIsClaimedFromFirst() {
        Conversation first = idle("a");
        Conversation second = idle("b");
        first.invited();
        second.invited();
        assertThat(conversations.claiming()).contains(first);
        conversations.prefer(second);
        assertThat(conversations.claiming()).contains(second);
        second.learned(SourceStatus.RUNNING, 0, true, true);
        assertThat(conversations.claiming())
                .as("while the preferred one has nothing")
                .contains(first);
    }

    @Test
    void remembersFewSetsWhoseTurnItIsNot() {
        for (String uid : List.of("a", "b", "c", "d", "e", "f")) {
            idle(uid).invited();
        }
        Conversation held = conversations.find("b").orElseThrow();
        held.joined();
        conversations.prefer(conversations.find("c").orElseThrow());
        conversations.clearResting(0);
        assertThat(conversations.all()).extracting(Conversation::uid).containsExactly("a", "b", "c", "d", "e", "f");
        conversations.prefer(conversations.find("f").orElseThrow());
        idle("g").invited();
        conversations.clearResting(0);
        assertThat(conversations.all())
                .as("the one with the turn, the one with a task, four others")
                .extracting(Conversation::uid)
                .containsExactly("b", "c", "d", "e", "f", "g");
    }

    @Test
    void anInvitationOutlastsTheAnswerOfAStepThatIsOlder() {
        Conversation conversation = idle("a");
        conversation.stepping(true);
        conversation.invited();
        conversation.stepping(false);
        conversation.learned(SourceStatus.RUNNING, 0, false, false);
        assertThat(conversation.claims()).isTrue();

        conversation.stepping(true);
        conversation.stepping(false);
        conversation.learned(SourceStatus.RUNNING, 0, true, true);
        assertThat(conversation.claims()).as("a younger answer").isFalse();
    }

    @Test
    void awaitsTheTokenOfTheSetThatWasNamedLast() {
        Conversation first = idle("a");
        Conversation second = idle("b");
        assertThat(conversations.awaited(0)).contains(first);
        conversations.prefer(second);
        assertThat(conversations.awaited(0)).contains(second);
        second.learned(SourceStatus.SUSPENDED);
        assertThat(conversations.awaited(0)).as("while that one rests").contains(first);
        first.learned(SourceStatus.RUNNING, 0, false, true);
        assertThat(conversations.awaited(0))
                .as("a token makes it a member again")
                .contains(first);
        assertThat(conversations.awaited(TimeUnit.SECONDS.toNanos(10)))
                .as("after its time")
                .isEmpty();
    }

    @Test
    void keepsASetWhoseClaimIsReady() {
        Conversation armed = idle("a");
        conversations.clearResting(0);
        armed.armed(true);
        conversations.clearResting(TimeUnit.SECONDS.toNanos(10));
        assertThat(conversations.knows("a")).isTrue();
        armed.armed(false);
        conversations.clearResting(TimeUnit.SECONDS.toNanos(10));
        assertThat(conversations.knows("a")).isFalse();
    }
}
