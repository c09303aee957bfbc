package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.slots.rig.AgentPod;

/** Volumes of exactly the size that the geometry says, and what tasks do to them. */
class VolumeIT {
    private static final Geometry GEOMETRY = new Geometry(2, 64 * 1024, 64 * 1024);
    private final List<Path> mounted = new ArrayList<>();
    private AgentPod pod;

    @BeforeEach
    void start() {
        pod = AgentPod.bare(GEOMETRY);
    }

    @AfterEach
    void stop() throws Exception {
        if (pod.agent() != null) {
            pod.agent().close();
        }
        pod.closeBoard();
        for (Path path : mounted) {
            new ProcessBuilder("umount", "-l", path.toString()).start().waitFor();
        }
        pod.close();
    }

    private void mount(Path path, long bytes) throws IOException, InterruptedException {
        int code = new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=" + bytes, "quiver-it", path.toString())
                .start()
                .waitFor();
        Assumptions.assumeTrue(code == 0, "missing: CAP_SYS_ADMIN, by which a tmpfs is mounted");
        mounted.add(path);
    }

    private void startBoth() {
        pod.startBoard(BoardConfig.Start.FRESH);
        pod.startAgent(Map.of());
        pod.awaitAllReady();
    }

    @Test
    void fitsExactlyIntoVolumesOfTheSaidSizesThroughChangesOfTheRegion() throws Exception {
        mount(pod.in(), GEOMETRY.inVolumeBytes());
        mount(pod.out(), GEOMETRY.outVolumeBytes());
        startBoth();
        for (int i = 0; i < 3; i++) {
            pod.acknowledge(pod.shell("head -c 65536 /dev/zero > $QUIVER_OUTPUT"));
            pod.closeBoard();
            pod.events().clear();
            // A supervisor that ends takes its mappings with it; here they last until they are collected.
            await().until(() -> {
                System.gc();
                return startedAgain();
            });
            pod.awaitAllReady();
        }
    }

    private boolean startedAgain() {
        try {
            pod.startBoard(BoardConfig.Start.FRESH);
            return true;
        } catch (SlotsException e) {
            return false;
        }
    }

    @Test
    void saysWhatIsMissingWhenTheInputsDoNotFit() throws Exception {
        mount(pod.in(), GEOMETRY.inVolumeBytes() - GEOMETRY.inputFileBytes() - GEOMETRY.controlBytes());
        assertThatThrownBy(() -> pod.startBoard(BoardConfig.Start.FRESH))
                .isInstanceOf(SlotsException.class)
                .hasMessageContaining("has no room for task-1.in of 65536 bytes")
                .hasMessageContaining(String.valueOf(GEOMETRY.inVolumeBytes()));
    }

    @Test
    void hitsTheOneThatFillsTheVolumeAndNobodyElse() throws Exception {
        mount(pod.out(), GEOMETRY.outVolumeBytes());
        startBoth();
        SlotResult filler = pod.shell("head -c 1000000 /dev/zero > ${QUIVER_OUTPUT%/task-*}/junk");
        assertThat(filler.reason()).isEqualTo(Reason.NON_ZERO_EXIT);
        assertThat(pod.board().lastWords(filler, 512)).contains("No space left on device");
        pod.dispatch(1, Assignment.of("n", AgentPod.sh("printf fine >> $QUIVER_OUTPUT")));
        SlotResult neighbour = pod.await(SlotEvent.Finished.class).result();
        assertThat(neighbour.passed()).isTrue();
        assertThat(pod.output(neighbour)).isEqualTo("fine");
    }

    /** The work of {@code mv}, {@code install}, {@code sed -i} and {@code os.replace}, with an output of full length. */
    @Test
    void takesAnOutputThatReplacesTheSlotsFileAndLeavesNothingOfIt() throws Exception {
        mount(pod.out(), GEOMETRY.outVolumeBytes());
        startBoth();
        String elsewhere = pod.root() + "/elsewhere";
        List<String> ways = List.of(
                "head -c 65536 /dev/zero > $QUIVER_OUTPUT.tmp; mv $QUIVER_OUTPUT.tmp $QUIVER_OUTPUT",
                "head -c 65536 /dev/zero > @; mv @ $QUIVER_OUTPUT",
                "head -c 65536 /dev/zero > @; install @ $QUIVER_OUTPUT",
                "head -c 65536 /dev/zero > $QUIVER_OUTPUT; sed -i s/x/y/ $QUIVER_OUTPUT",
                "head -c 65536 /dev/zero > @; ln -f @ $QUIVER_OUTPUT 2> /dev/null || cp --remove-destination @ $QUIVER_OUTPUT",
                "cd ${QUIVER_OUTPUT%/*}; head -c 65536 /dev/zero > $(mktemp out.XXXX); mkdir d; touch d/e; mv out.* output");
        for (String way : ways) {
            for (int slot = 0; slot < 2; slot++) {
                pod.dispatch(slot, Assignment.of("n", AgentPod.sh("set -e; " + way.replace("@", elsewhere + slot))));
            }
            List<SlotResult> results = List.of(
                    pod.await(SlotEvent.Finished.class).result(),
                    pod.await(SlotEvent.Finished.class).result());
            for (SlotResult result : results) {
                assertThat(result.passed())
                        .as(way + result + pod.stderr(result))
                        .isTrue();
                assertThat(pod.board().output(result))
                        .isInstanceOfSatisfying(
                                FileRead.Content.class,
                                read -> assertThat(read.bytes()).hasSize(65536));
                pod.acknowledge(result);
            }
            SlotResult next = pod.shell("ls -A ${QUIVER_OUTPUT%/*}; test ! -s $QUIVER_OUTPUT");
            assertThat(next.passed()).as(way).isTrue();
            assertThat(pod.stdout(next)).as(way).isEqualTo("output\n");
            pod.acknowledge(next);
        }
    }

    @Test
    void refusesWhatIsNoOutputAndMakesItsFolderAnew() {
        startBoth();
        for (String deed : List.of(
                "rm $QUIVER_OUTPUT; mkdir -p $QUIVER_OUTPUT/x",
                "rm -r ${QUIVER_OUTPUT%/*}",
                "mv ${QUIVER_OUTPUT%/*} @; ln -s @ ${QUIVER_OUTPUT%/*}",
                "rm $QUIVER_OUTPUT; mkfifo $QUIVER_OUTPUT",
                "rm $QUIVER_OUTPUT; ln -s /etc/passwd $QUIVER_OUTPUT",
                "ln $QUIVER_OUTPUT @.second",
                "echo x > $QUIVER_OUTPUT.a; ln $QUIVER_OUTPUT.a @.third; mv $QUIVER_OUTPUT.a $QUIVER_OUTPUT")) {
            SlotResult bad = pod.shell("set -e; " + deed.replace("@", pod.out() + "/elsewhere"));
            assertThat(bad.reason()).as(deed + bad + pod.stderr(bad)).isEqualTo(Reason.OUTPUT_INVALID);
            pod.acknowledge(bad);
            SlotResult good = pod.shell("echo out > $QUIVER_OUTPUT");
            assertThat(pod.output(good)).as(deed).isEqualTo("out\n");
            pod.acknowledge(good);
            pod.acknowledge(pod.shell("rm -rf " + pod.out() + "/elsewhere*"));
        }
        SlotResult large = pod.shell("head -c 65537 /dev/zero > $QUIVER_OUTPUT.a; mv $QUIVER_OUTPUT.a $QUIVER_OUTPUT");
        assertThat(large.reason()).isEqualTo(Reason.OUTPUT_TOO_LARGE);
    }

    /** A task may have the room of one more output beside its own; a neighbour that writes in place loses nothing to it. */
    @Test
    void takesFromARunningTaskWhatIsBeyondItsShareWhenItsNeighbourNeedsRoom() throws Exception {
        mount(pod.out(), GEOMETRY.outVolumeBytes());
        startBoth();
        Path given = pod.root().resolve("given");
        Path taken = pod.root().resolve("taken");
        String takes = pod.gate("given") + "; head -c 1000000 /dev/zero > $QUIVER_OUTPUT.much;"
                + " ln $QUIVER_OUTPUT.much $QUIVER_OUTPUT.same; touch " + taken + "; " + pod.gate("go");
        pod.dispatch(0, Assignment.of("n", AgentPod.sh(takes)));
        // A file that is cut gives its pages back, and the neighbour takes all of them.
        String gives = ": > $QUIVER_OUTPUT; touch " + given + "; " + pod.gate("taken");
        pod.dispatch(1, Assignment.of("n", AgentPod.sh(gives)));
        pod.acknowledge(pod.await(SlotEvent.Finished.class).result());
        pod.dispatch(1, Assignment.of("n", AgentPod.sh("head -c 65536 /dev/zero >> $QUIVER_OUTPUT")));
        SlotResult again = pod.await(SlotEvent.Finished.class).result();
        assertThat(again.passed()).isTrue();
        assertThat(again.output().bytes()).isEqualTo(65536);
        pod.create("go");
    }

    @Test
    void clearsAwayWhatTasksLeftWhenAnOutputDoesNotFitAnyMore() throws Exception {
        mount(pod.out(), GEOMETRY.outVolumeBytes());
        startBoth();
        pod.acknowledge(
                pod.shell(
                        ": > $QUIVER_OUTPUT; D=${QUIVER_OUTPUT%/task-*}; mkdir -p $D/d/e; head -c 200000 /dev/zero > $D/d/e/junk"));
        SlotResult next =
                pod.shell("test ! -e ${QUIVER_OUTPUT%/task-*}/d && head -c 65536 /dev/zero >> $QUIVER_OUTPUT");
        assertThat(next.passed())
                .as(next + pod.stderr(next) + pod.agent().stderr())
                .isTrue();
        assertThat(next.output().bytes()).isEqualTo(65536);
    }

    @Test
    void makesFilesAnewThatATaskRemovedSwappedOrCut() {
        startBoth();
        List<String> deeds = List.of(
                "rm $F",
                "rm $F; mkdir -p $F/x",
                "rm $F; mkfifo $F",
                "rm $F; ln -s /etc/passwd $F",
                "ln $F $F.second; sleep 0; rm -f $F.third",
                ": > $F");
        for (String deed : deeds) {
            for (String ending : List.of("out", "stdout", "stderr")) {
                SlotResult bad =
                        pod.shell("F=${QUIVER_OUTPUT%/output}." + ending + "; " + deed + "; echo x; echo y >&2");
                for (FileRead read : List.of(
                        pod.board().output(bad),
                        pod.board().tail(bad, TaskStream.STDOUT),
                        pod.board().tail(bad, TaskStream.STDERR))) {
                    assertThat(read).isNotInstanceOf(FileRead.Gone.class);
                }
                pod.acknowledge(bad);
                SlotResult good = pod.shell("echo out > $QUIVER_OUTPUT; echo said; echo wrong >&2");
                assertThat(good.passed()).as(deed + " " + ending).isTrue();
                assertThat(pod.output(good)).isEqualTo("out\n");
                assertThat(pod.stdout(good)).isEqualTo("said\n");
                assertThat(pod.stderr(good)).isEqualTo("wrong\n");
                pod.acknowledge(good);
            }
        }
    }

    @Test
    void refusesATailThatIsNotThePlainFileOfItsSize() {
        startBoth();
        SlotResult result =
                pod.shell("F=${QUIVER_OUTPUT%/output}.stderr; rm $F; ln -s /etc/passwd $F; echo x >&2; exit 1");
        FileRead read = pod.board().tail(result, TaskStream.STDERR);
        assertThat(read).isInstanceOf(FileRead.Refused.class);
        assertThat(((FileRead.Refused) read).violation().kind()).isEqualTo(Violation.Kind.FILE);
        assertThat(pod.board().lastWords(result, 512)).startsWith("exit code 1\nits stderr cannot be shown: ");
    }
}
