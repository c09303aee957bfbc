package dev.quiver.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class DelayProxyIT {

    private static final Duration ONE_WAY = Duration.ofMillis(20);

    private ServerSocket echo;
    private DelayProxy proxy;

    @BeforeEach
    void startAnEchoBehindTheProxy() throws IOException {
        echo = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> {
            try (Socket socket = echo.accept()) {
                socket.getInputStream().transferTo(socket.getOutputStream());
            } catch (IOException closed) {
                // The test is over.
            }
        });
        proxy = DelayProxy.start(0, echo.getLocalPort(), ONE_WAY);
    }

    @AfterEach
    void stop() throws IOException {
        proxy.close();
        echo.close();
    }

    @Test
    void delaysEachDirection() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
            long from = System.nanoTime();
            socket.getOutputStream().write(7);
            assertThat(socket.getInputStream().read()).isEqualTo(7);
            assertThat(Duration.ofNanos(System.nanoTime() - from)).isGreaterThanOrEqualTo(ONE_WAY.multipliedBy(2));
        }
    }

    @Test
    void keepsOrderAndPipelining() throws IOException {
        int messages = 2_000;
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            long from = System.nanoTime();
            for (int i = 0; i < messages; i++) {
                out.writeInt(i);
            }
            for (int i = 0; i < messages; i++) {
                assertThat(in.readInt()).isEqualTo(i);
            }
            // One round trip for each would take 80 s.
            assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofSeconds(40));
        }
    }

    @Test
    void doesNotCapTheThroughput() throws Exception {
        byte[] sent = new byte[8 << 20];
        for (int i = 0; i < sent.length; i++) {
            sent[i] = (byte) (i * 31 + (i >> 8));
        }
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
            Thread writer = Thread.ofVirtual().start(() -> {
                try {
                    socket.getOutputStream().write(sent);
                } catch (IOException failure) {
                    throw new IllegalStateException(failure);
                }
            });
            assertThat(socket.getInputStream().readNBytes(sent.length)).isEqualTo(sent);
            writer.join();
        }
    }

    @Test
    void closesOneSideWhenTheOtherCloses() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
            socket.getOutputStream().write(1);
            assertThat(socket.getInputStream().read()).isEqualTo(1);
            socket.shutdownOutput();
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }
}
