package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.slots.linux.FrameSocket;

class AgentListenerTest {
    @TempDir
    private Path in;

    @Test
    void pausesWhereAcceptingFails() throws IOException {
        Path path = in.resolve("socket");
        try (FrameSocket listening = FrameSocket.listen(path);
                SocketChannel caller = SocketChannel.open(UnixDomainSocketAddress.of(path));
                FrameSocket let = listening.accept().orElseThrow();
                AgentListener listener = new AgentListener(let)) {
            assertThat(caller.isConnected()).isTrue();
            for (int i = 0; i < 17; i++) {
                assertThat(listener.accept(0))
                        .as("it does not listen, so that this fails")
                        .isEmpty();
            }
            assertThat(listener.untilNext(0)).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(1));
        }
    }

    @Test
    void countsNobodyWhereNobodyWaits() {
        try (AgentListener listener = AgentListener.in(in)) {
            for (int i = 0; i < 17; i++) {
                assertThat(listener.accept(0)).isEmpty();
            }
            assertThat(listener.untilNext(0)).isZero();
        }
    }
}
