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
        SlotResult filler = pod.shell("head -c 1000000 /dev/zero > ${QUIVER_OUTPUT%/*}/junk");
        assertThat(filler.reason()).isEqualTo(Reason.NON_ZERO_EXIT);
        assertThat(pod.board().lastWords(filler, 512)).contains("No space left on device");
        pod.handOver(1, Assignment.of("n", AgentPod.sh("printf fine >> $QUIVER_OUTPUT")));
        SlotResult neighbour = pod.await(SlotEvent.Finished.class).result();
        assertThat(neighbour.passed()).isTrue();
        assertThat(pod.output(neighbour)).isEqualTo("fine");
    }

    @Test
    void clearsAwayWhatTasksLeftWhenAnOutputDoesNotFitAnyMore() throws Exception {
        mount(pod.out(), GEOMETRY.outVolumeBytes());
        startBoth();
        pod.acknowledge(
                pod.shell(
                        ": > $QUIVER_OUTPUT; mkdir -p ${QUIVER_OUTPUT%/*}/d/e; head -c 60000 /dev/zero > ${QUIVER_OUTPUT%/*}/d/e/junk"));
        SlotResult next = pod.shell("test ! -e ${QUIVER_OUTPUT%/*}/d && head -c 65536 /dev/zero >> $QUIVER_OUTPUT");
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
                SlotResult bad = pod.shell("F=${QUIVER_OUTPUT%.out}." + ending + "; " + deed + "; echo x; echo y >&2");
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
                pod.shell("F=${QUIVER_OUTPUT%.out}.stderr; rm $F; ln -s /etc/passwd $F; echo x >&2; exit 1");
        FileRead read = pod.board().tail(result, TaskStream.STDERR);
        assertThat(read).isInstanceOf(FileRead.Refused.class);
        assertThat(((FileRead.Refused) read).violation().kind()).isEqualTo(Violation.Kind.FILE);
        assertThat(pod.board().lastWords(result, 512)).startsWith("exit code 1\nits stderr cannot be shown: ");
    }
}
