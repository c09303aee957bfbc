package dev.quiver.slots;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.slots.linux.FrameSocket;
import dev.quiver.slots.linux.LinuxException;

/**
 * Where agents connect. A caller that comes too often waits in the kernel's queue. Not thread-safe but for {@link
 * #shutdown}.
 */
final class AgentListener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AgentListener.class);

    /** Far above the needs of an honest agent. */
    private final Pace callers = new Pace(16, 8);

    private final FrameSocket socket;
    private String trouble = ""; // of the last try

    /** One that listens at this socket. */
    AgentListener(FrameSocket socket) {
        this.socket = socket;
    }

    /** The one in the volume that agents see. */
    static AgentListener in(Path volume) {
        try {
            return new AgentListener(FrameSocket.listen(volume.resolve("socket")));
        } catch (IOException e) {
            throw new SlotsException("the agent's socket cannot be opened: " + e.getMessage(), e);
        }
    }

    /** How long nobody is let in; zero when somebody may be now. */
    Duration untilNext(long now) {
        return callers.untilNext(now);
    }

    /** The socket that becomes readable when a caller waits. */
    FrameSocket socket() {
        return socket;
    }

    /**
     * The next caller, if one waits. A failure, such as a lack of descriptors or a caller that has gone again, is put
     * down to the waiting caller. It counts as a caller, so that it is not tried again without a pause, and it is
     * logged once.
     */
    Optional<FrameSocket> accept(long now) {
        try {
            Optional<FrameSocket> caller = socket.accept();
            caller.ifPresent(let -> callers.count(now));
            trouble = "";
            return caller;
        } catch (LinuxException e) {
            callers.count(now);
            if (!trouble.equals(e.getMessage())) {
                LOG.warn("Nobody can be let in at the agent's socket: {}", e.getMessage());
                trouble = e.getMessage();
            }
            return Optional.empty();
        }
    }

    /** Wakes who waits for it; from any thread. */
    void shutdown() {
        socket.shutdown();
    }

    @Override
    public void close() {
        socket.close();
    }
}
