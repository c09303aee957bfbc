package dev.quiver.lifecycle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.lifecycle.redis.StoreRefusedException.Kind;

/** A server that refuses a connection names the reason, and may end the connection before anybody has asked. */
class GreetingRefusedIT {

    /** A dial races with the end of its connection: each way comes up among so many. */
    private static final int DIALS = 40;

    /** Says so to whoever comes and hangs up, at once or after the first byte of the caller. */
    private static final class Refusing implements AutoCloseable {

        private final ServerSocket socket;
        private final String words;
        private final boolean listens;

        Refusing(String words, boolean listens) {
            this.words = words;
            this.listens = listens;
            try {
                this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            Thread.ofPlatform().daemon().start(this::serve);
        }

        private void serve() {
            while (!socket.isClosed()) {
                try (Socket caller = socket.accept()) {
                    if (listens) {
                        caller.getInputStream().read();
                    }
                    caller.getOutputStream().write(words.getBytes(StandardCharsets.US_ASCII));
                } catch (IOException over) {
                    // the caller hung up, or the test is over
                }
            }
        }

        RedisEndpoint endpoint() {
            return RedisEndpoint.standalone("redis://team:wrong@127.0.0.1:" + socket.getLocalPort());
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "WRONGPASS invalid username-password pair or user is disabled. | NO_RIGHT | true",
                "WRONGPASS invalid username-password pair or user is disabled. | NO_RIGHT | false",
                "ERR max number of clients reached | PASSING | false",
                "LOADING Redis is loading the dataset in memory | PASSING | false"
            })
    void wordsOfARefusalAreGivenWheneverTheConnectionEnds(String words, Kind kind, boolean listens) throws IOException {
        try (Refusing server = new Refusing("-" + words + "\r\n", listens)) {
            for (int i = 0; i < DIALS; i++) {
                try (RedisStore store = PatientStore.open(server.endpoint(), "caller")) {
                    assertThatThrownBy(store::ping)
                            .as("dial %s", i)
                            .isInstanceOfSatisfying(
                                    StoreRefusedException.class,
                                    refused -> assertThat(refused.kind()).isEqualTo(kind))
                            .hasMessageContaining(words);
                }
            }
        }
    }

    @RepeatedTest(3)
    void serverThatHangsUpWithoutAWordIsUnreachable() throws IOException {
        try (Refusing server = new Refusing("", true);
                RedisStore store = PatientStore.open(server.endpoint(), "caller")) {
            assertThatThrownBy(store::ping).isInstanceOf(StoreUnreachableException.class);
        }
    }
}
