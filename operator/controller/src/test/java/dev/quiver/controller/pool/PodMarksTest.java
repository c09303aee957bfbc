package dev.quiver.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;

import dev.quiver.controller.pool.podstatus.LastEnd;
import dev.quiver.controller.pool.podstatus.PodStage;
import dev.quiver.controller.rig.Samples;
import dev.quiver.crds.v1alpha1.WorkerPool;

class PodMarksTest {

    private final List<String> calls = new ArrayList<>();
    private boolean away;
    private final PodMarks marks = new PodMarks(new Noted(), uids -> {
        if (!uids.isEmpty()) {
            calls.add("gone " + new TreeSet<>(uids));
        }
    });
    private final WorkerPool pool = Samples.pool("p", 2);

    PodMarksTest() {
        pool.getMetadata().setUid("pool");
    }

    private final class Noted implements PodMarks.Marks {

        @Override
        public boolean keepDraining(WorkerPool pool, Set<String> podUids) {
            calls.add("keep " + new TreeSet<>(podUids));
            return !away;
        }

        @Override
        public void undrain(WorkerPool pool, Set<String> podUids) {
            calls.add("undrain " + new TreeSet<>(podUids));
        }

        @Override
        public boolean noteFate(WorkerPool pool, String podUid, String fate) {
            calls.add("fate " + podUid);
            return !away;
        }

        @Override
        public boolean noteContainerEnd(WorkerPool pool, String podUid, String words) {
            calls.add("end " + podUid + " " + words);
            return !away;
        }
    }

    private static WorkerPod pod(String uid, PodStage stage, String message) {
        return new WorkerPod(
                "name-" + uid,
                uid,
                "h",
                Instant.EPOCH,
                stage,
                message,
                Optional.empty(),
                OptionalInt.empty(),
                false,
                Optional.empty(),
                false,
                Optional.empty(),
                Optional.empty());
    }

    private static WorkerPod ready(String uid) {
        return pod(uid, PodStage.READY, "");
    }

    private List<String> follow(WorkerPod... pods) {
        calls.clear();
        marks.follow(pool, List.of(pods));
        return List.copyOf(calls);
    }

    @Test
    void marksAreComparedOnceAndWhenRedisComesBack() {
        assertThat(follow(ready("a"), ready("b"))).containsExactly("keep [a, b]");
        assertThat(follow(ready("a"), ready("b"))).isEmpty();
        marks.storeReturned();
        assertThat(follow(ready("a"), ready("b"))).containsExactly("keep [a, b]");
    }

    @Test
    void marksThatRedisDidNotCompareAreComparedAgain() {
        away = true;
        follow(ready("a"));
        away = false;
        assertThat(follow(ready("a"))).containsExactly("keep [a]");
        assertThat(follow(ready("a"))).isEmpty();
    }

    @Test
    void aPodThatIsGoneLeavesNoMark() {
        follow(ready("a"), ready("b"));
        assertThat(follow(ready("b"))).containsExactly("gone [a]", "undrain [a]");
        assertThat(follow(ready("b"))).isEmpty();
    }

    @Test
    void itIsNotedOnceWhoEndsAPod() {
        follow(ready("a"));
        WorkerPod evicted = pod("a", PodStage.TERMINATING, "The node is drained.");
        away = true;
        assertThat(follow(evicted)).containsExactly("fate a");
        away = false;
        assertThat(follow(evicted)).as("Redis has not heard it").containsExactly("fate a");
        assertThat(follow(evicted)).isEmpty();
        assertThat(follow(pod("b", PodStage.TERMINATING, "")))
                .as("nobody knows why")
                .doesNotContain("fate b");
        assertThat(follow(pod("c", PodStage.UNREADY, "It starts.")))
                .as("it lives")
                .doesNotContain("fate c");
    }

    @Test
    void itIsNotedOnceHowAContainerEnded() {
        WorkerPod pod = ready("a");
        WorkerPod restarted = new WorkerPod(
                pod.name(),
                pod.uid(),
                pod.hash(),
                pod.created(),
                pod.stage(),
                "",
                pod.since(),
                pod.busySlots(),
                false,
                Optional.empty(),
                false,
                Optional.of(new LastEnd("worker 10:00", "exit code 137")),
                Optional.empty());
        follow(pod);
        assertThat(follow(restarted)).containsExactly("end a exit code 137");
        assertThat(follow(restarted)).isEmpty();
        follow();
        assertThat(follow(restarted)).as("nothing is kept of pods that went").contains("end a exit code 137");
    }

    @Test
    void aPoolThatIsForgottenIsNew() {
        follow(ready("a"));
        calls.clear();
        marks.forget(pool);
        assertThat(calls).containsExactly("gone [a]");
        assertThat(follow(ready("b"))).as("its pods went unseen").containsExactly("keep [b]");
    }
}
