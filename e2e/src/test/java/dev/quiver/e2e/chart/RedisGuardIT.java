package dev.quiver.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The chart's guard beside a real Redis: whoever takes the places of others loses them. */
class RedisGuardIT {

    private static final int PLACES = 200;
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private final List<Process> started = new ArrayList<>();
    private final List<Socket> flood = new ArrayList<>();
    private InetAddress outside;
    private int port;

    @BeforeEach
    void starts() throws IOException {
        outside = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress() && address.getAddress().length == 4)
                .findFirst()
                .orElse(null);
        Assumptions.assumeTrue(outside != null, "this machine has no address but loopback");
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Path users = folder.resolve("users.acl");
        Files.writeString(users, """
                user default on >secret ~* &* +@all
                user quiver.admin on >secret ~* &* +@all
                user quiver-team on >theirs ~* &* +@all
                """);
        start("redis-server --bind 0.0.0.0 --protected-mode no --save  --maxclients %d --port %d --dir %s --aclfile %s"
                .formatted(PLACES, port, folder, users)
                .split(" "));
        await().atMost(SOON).until(() -> ask(InetAddress.getLoopbackAddress(), "quiver.admin", "secret"));
        start("/bin/sh", Helm.file("charts/quiver/files/redis-guard.sh").toString(), folder.toString(), "" + port);
        await("the guard's connection stands").atMost(SOON).until(this::hasSeenItReady);
    }

    @AfterEach
    void ends() throws IOException {
        for (Socket socket : flood) {
            socket.close();
        }
        started.forEach(process -> process.descendants().forEach(ProcessHandle::destroyForcibly));
        started.forEach(Process::destroyForcibly);
    }

    @Test
    void whoGivesNoPasswordDoesNotKeepOthersOut() {
        fill("");
        await("the operator gets in").atMost(SOON).until(() -> ask(outside, "quiver.admin", "secret"));
        await("and stays in").during(Duration.ofSeconds(2)).atMost(SOON).until(() -> {
            fill("");
            return hasSeenItReady();
        });
    }

    @Test
    void norDoesOneWhoseCommandsAreRefused() {
        fill("PING\r\n");
        await().atMost(SOON).until(() -> ask(outside, "quiver.admin", "secret"));
    }

    @Test
    void aSingleOneWithoutAPasswordEnds() throws IOException {
        Socket silent = connect();
        await().atMost(SOON).until(() -> ended(silent));
    }

    @Test
    void theUserOfANamespaceDoesNotKeepOthersOut() {
        fill("AUTH quiver-team theirs\r\n");
        await().atMost(SOON).until(() -> ask(outside, "quiver.admin", "secret"));
    }

    @Test
    void theOperatorsConnectionAndOneOfANamespaceStay() throws IOException {
        Socket operator = connect();
        send(operator, "AUTH quiver.admin secret\r\n");
        Socket tenant = connect();
        send(tenant, "AUTH quiver-team theirs\r\n");
        fill("");
        Socket silent = connect();
        await().atMost(SOON).until(() -> ended(silent));
        assertThat(answers(operator)).isTrue();
        assertThat(answers(tenant)).isTrue();
    }

    /** The probes ask nothing else: a Redis that is full is no reason to start it anew. */
    @Test
    void whatTheProbesReadStaysFreshWhileEveryPlaceIsTaken() {
        fill("");
        fill("AUTH quiver-team theirs\r\n");
        await().during(Duration.ofSeconds(3)).atMost(SOON).until(this::hasSeenItReady);
    }

    private boolean hasSeenItReady() throws IOException {
        Path ready = folder.resolve("ready");
        if (!Files.exists(ready)) {
            return false;
        }
        String seen = Files.readString(ready).strip();
        // The probes allow ten seconds; between truncation and writing it is empty.
        return seen.isEmpty() || Instant.now().getEpochSecond() - Long.parseLong(seen) < 10;
    }

    /** Opens more connections than there are places. */
    private void fill(String first) {
        for (int i = 0; i < PLACES + 20; i++) {
            try {
                Socket socket = connect();
                if (!first.isEmpty()) {
                    send(socket, first);
                }
                flood.add(socket);
            } catch (IOException refused) {
                // That is what the flood wants to bring about.
            }
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress(outside, port), 5000);
        socket.setSoTimeout(2000);
        return socket;
    }

    private static void send(Socket socket, String command) throws IOException {
        socket.getOutputStream().write(command.getBytes(StandardCharsets.UTF_8));
    }

    private static boolean answers(Socket socket) throws IOException {
        send(socket, "PING\r\n");
        byte[] answer = new byte[64];
        int length = socket.getInputStream().read(answer);
        return length > 0;
    }

    private static boolean ended(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (java.net.SocketTimeoutException open) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }

    private boolean ask(InetAddress host, String user, String password) throws IOException, InterruptedException {
        Process client = new ProcessBuilder(
                        "redis-cli",
                        "-h",
                        host.getHostAddress(),
                        "-p",
                        "" + port,
                        "--user",
                        user,
                        "-a",
                        password,
                        "--no-auth-warning",
                        "ping")
                .redirectErrorStream(true)
                .start();
        String answer = client.inputReader().lines().collect(Collectors.joining("\n"));
        client.waitFor();
        return answer.equals("PONG");
    }

    private void start(String... command) throws IOException {
        ProcessBuilder process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        folder.resolve(command[0].replace('/', '_') + ".log").toFile());
        process.environment().put("REDISCLI_AUTH", "secret");
        started.add(process.start());
    }
}
