package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import dev.quiver.slots.rig.AgentPod;
import dev.quiver.slots.rig.Patience;

/** {@code src/test/python/puppet.py} as a child process: an executor that does what the test tells it. */
final class Puppet implements AutoCloseable {
    private final Process process;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    private Puppet(Process process) {
        this.process = process;
        Thread.ofVirtual().start(this::read);
    }

    static Puppet of(AgentPod pod) {
        try {
            return new Puppet(new ProcessBuilder(
                            "python3",
                            "src/test/python/puppet.py",
                            pod.in().toString(),
                            pod.out().toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                answers.add(line);
            }
        } catch (IOException e) {
            answers.add("ended: " + e.getMessage()); // as when it is killed
        }
    }

    /** Does it, and waits until it is done; what came of it, if there is something to say. */
    String does(String order) {
        begins(order);
        return ends(order);
    }

    /** The inode of the memory that it made and shows. */
    long memory() throws IOException {
        try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/" + process.pid() + "/fd"))) {
            for (Path descriptor : open) {
                if (Files.readSymbolicLink(descriptor).toString().contains("memfd:quiver-exec")) {
                    return inode(descriptor);
                }
            }
        }
        throw new AssertionError("the puppet has no memory to show");
    }

    /** The inode that a descriptor in /proc leads to; -1 when it was closed meanwhile. */
    static long inode(Path descriptor) throws IOException {
        try {
            return (long) Files.getAttribute(descriptor, "unix:ino");
        } catch (NoSuchFileException closed) {
            return -1;
        }
    }

    void begins(String order) {
        try {
            process.getOutputStream().write((order + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String ends(String order) {
        try {
            String answer = answers.poll(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
            assertThat(answer).as(order).isNotNull().startsWith("ok");
            return answer.substring(2).strip();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Connects as an agent does; every slot is ready then. */
    Puppet connected(AgentPod pod) {
        does("connect");
        pod.awaitAllReady();
        return this;
    }

    /** Runs one task to its result, honestly. */
    SlotResult result(AgentPod pod, int slot) {
        pod.dispatch(slot, Assignment.of("t", HandlerCall.of("f")));
        does("begin " + slot);
        does("end " + slot);
        return pod.await(SlotEvent.Finished.class, finished -> finished.result().slot() == slot)
                .result();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(Patience.LIMIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
