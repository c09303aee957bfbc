package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.slots.rig.AgentPod;

/** The harm of a hostile process to the socket and the bell: nothing that costs more than a little time. */
class DistrustOfTheSocketIT {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** The share of one core; unlimited floods take a whole one. */
    private static final double MOST_CPU = 0.35;

    private final ThreadGroup ours = new ThreadGroup("the threads of this test's board");
    private AgentPod pod;
    private Puppet puppet;

    @BeforeEach
    void start() throws InterruptedException {
        pod = AgentPod.bare(new Geometry(2, 8192, 8192));
        Thread.ofPlatform()
                .group(ours)
                .start(() -> pod.startBoard(BoardConfig.Start.FRESH))
                .join();
        puppet = Puppet.of(pod);
    }

    @AfterEach
    void stop() {
        puppet.close();
        pod.close();
    }

    @ParameterizedTest
    @CsvSource({
        "nothing, without its descriptor",
        "two, more than one descriptor",
        "garbage, does not begin with QFRM",
        "major, the agent speaks version 2 of the slots",
        "type, type 99",
        "null, not a memory file",
        "file, it needs SEAL",
        "pipe, not a memory file",
        "unsealed, 'seals 0x0, it needs SEAL'",
        "half-sealed, 'seals 0x2, it needs SEAL'",
        "large, it must have",
        "version, major version 0x2",
        "region, region id"
    })
    void hangsUpOnWhoBringsSomethingElseThanTheSealedMemory(String what, String words) {
        puppet.does("present " + what);
        Violation violation = pod.await(SlotEvent.Violated.class).violation();
        assertThat(violation.kind()).isEqualTo(Violation.Kind.CONNECTION);
        assertThat(violation.slot()).isEqualTo(-1);
        assertThat(violation.text()).contains(words);
        assertThat(pod.board().agentPresent()).isFalse();
        puppet.connected(pod);
        assertThat(puppet.result(pod, 0).passed()).isTrue();
    }

    @Test
    void listensToNobodyElseWhileAnAgentIsThere() {
        puppet.connected(pod);
        try (Puppet second = Puppet.of(pod)) {
            second.does("make");
            assertThat(second.does("impersonate")).isEqualTo("turned-away");
        }
        assertThat(puppet.result(pod, 1).passed()).isTrue();
        assertThat(pod.events()).noneMatch(event -> event instanceof SlotEvent.AgentArrived);
    }

    @ParameterizedTest
    @ValueSource(strings = {"flood_bell 2.0", "flood_wakes 2.0"})
    void spendsLittleTimeOnRingsWithNothingBehindThem(String flood) {
        puppet.connected(pod);
        assertThat(cpuShare("quiver-slots", flood)).isLessThan(MOST_CPU);
        assertThat(puppet.result(pod, 0).passed()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"flood_frames 5 2.0", "flood_frames 4 2.0"})
    void readsFramesNoFasterThanAnAgentSendsThem(String flood) {
        puppet.connected(pod);
        assertThat(cpuShare("quiver-agent-link", flood)).isLessThan(MOST_CPU);
        assertThat(pod.events().size()).as("events for frames").isLessThan(1000);
        worksWithAnHonestAgent();
    }

    @Test
    void opensTheDoorNoOftenerThanAgentsCome() {
        assertThat(cpuShare("quiver-agent-link", "flood_door 3.0")).isLessThan(MOST_CPU);
        assertThat(pod.events().size()).as("violations").isLessThan(100);
        worksWithAnHonestAgent();
    }

    @Test
    void keepsNoDescriptorOfThoseThatAreThrownAtIt() throws IOException {
        puppet.connected(pod);
        long before = descriptors();
        puppet.does("flood_descriptors 1.5");
        assertThat(descriptors()).isLessThan(before + 8);
        worksWithAnHonestAgent();
    }

    private void worksWithAnHonestAgent() {
        puppet.close();
        pod.events().clear();
        pod.startAgent(Map.of());
        pod.await(SlotEvent.AgentArrived.class);
        pod.awaitAllReady();
        pod.dispatch(0, Assignment.of("t", Command.of("true")));
        assertThat(pod.await(SlotEvent.Finished.class).result().passed()).isTrue();
    }

    private double cpuShare(String thread, String flood) {
        Thread[] threads = new Thread[ours.activeCount() + 8];
        long id = Arrays.stream(threads, 0, ours.enumerate(threads))
                .filter(one -> one.getName().equals(thread))
                .mapToLong(Thread::threadId)
                .findFirst()
                .orElseThrow();
        long cpu = THREADS.getThreadCpuTime(id);
        long begun = System.nanoTime();
        puppet.does(flood);
        return (double) (THREADS.getThreadCpuTime(id) - cpu) / (System.nanoTime() - begun);
    }

    /** How many descriptors of this process lead to the memory that the puppet shows; other tests run beside this one. */
    private long descriptors() throws IOException {
        long memory = puppet.memory();
        long count = 0;
        try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : open) {
                count += Puppet.inode(descriptor) == memory ? 1 : 0;
            }
        }
        return count;
    }
}
