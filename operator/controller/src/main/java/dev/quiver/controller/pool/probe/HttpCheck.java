package dev.quiver.controller.pool.probe;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

import dev.quiver.crds.v1alpha1.HttpGetProbe;

/**
 * Asks a server by HTTP and reads its status line, and nothing behind that. It is written upon a socket. The
 * JDK's client looks a name up again when it connects, so an address that was allowed could become another one.
 */
final class HttpCheck {

    /** Bytes of a status line at most. */
    private static final int LINE = 256;

    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] ([1-5][0-9]{2})(?: .*)?", Pattern.DOTALL);

    private final SSLContext tls = anyCertificate();
    private final ScheduledExecutorService deadlines = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("probe-deadlines").factory());

    /**
     * Asks a server once.
     *
     * @param target to connect to, and to name in the request
     * @param timeout of everything behind the look-up of the name, in whole seconds
     * @return why it failed; absent for an answer from 200 to 399
     */
    Optional<String> failure(HttpGetProbe probe, ProbeHosts.Target target, Duration timeout) {
        String host = target.host();
        long begun = System.nanoTime();
        try {
            // By its bytes, since an IPv4 address within an IPv6 one is told as IPv6, and would pass as no loopback.
            InetAddress address =
                    InetAddress.getByAddress(host, InetAddress.getByName(host).getAddress());
            if (!target.allows(address)) {
                return Optional.of(host + " leads to an address that no probe may ask");
            }
            begun = System.nanoTime();
            int status = status(ask(probe, host, address, timeout));
            return status >= 200 && status < 400 ? Optional.empty() : Optional.of("answered " + status);
        } catch (UnknownHostException unknown) {
            return Optional.of("there is no host " + host);
        } catch (SocketTimeoutException late) {
            return Optional.of(late(timeout));
        } catch (IOException e) {
            if (System.nanoTime() - begun >= timeout.toNanos()) { // cut off
                return Optional.of(late(timeout));
            }
            return Optional.of(e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage());
        }
    }

    private static String late(Duration timeout) {
        return "no answer within " + timeout.toSeconds() + " s";
    }

    private String ask(HttpGetProbe probe, String host, InetAddress address, Duration timeout) throws IOException {
        try (Socket plain = new Socket()) {
            // A time-out of the socket is one of a single read, and TLS makes as many as a server wants.
            ScheduledFuture<?> end = deadlines.schedule(() -> cut(plain), timeout.toMillis(), TimeUnit.MILLISECONDS);
            try {
                plain.connect(new InetSocketAddress(address, probe.port()), (int) timeout.toMillis());
                plain.setSoTimeout((int) timeout.toMillis());
                if (probe.scheme() == HttpGetProbe.Scheme.HTTP) {
                    return ask(plain, probe, host);
                }
                // Not closed by itself, for it would read what the server still sends.
                return ask(tls.getSocketFactory().createSocket(plain, host, probe.port(), false), probe, host);
            } finally {
                end.cancel(false);
            }
        }
    }

    private static void cut(Socket socket) {
        try {
            socket.close();
        } catch (IOException gone) {
            // then nobody reads from it any more
        }
    }

    private static String ask(Socket socket, HttpGetProbe probe, String host) throws IOException {
        String request = "GET " + probe.path() + " HTTP/1.1\r\nHost: " + host + ":" + probe.port()
                + "\r\nUser-Agent: quiver-probe\r\nAccept: */*\r\nConnection: close\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        StringBuilder line = new StringBuilder();
        InputStream answer = socket.getInputStream();
        while (line.length() < LINE) {
            int next = answer.read();
            if (next < 0 || next == '\n') {
                break;
            }
            line.append((char) next);
        }
        return line.toString().stripTrailing();
    }

    private static int status(String line) throws IOException {
        Matcher matcher = STATUS.matcher(line);
        if (!matcher.matches()) {
            throw new IOException("the answer is not HTTP/1.1");
        }
        return Integer.parseInt(matcher.group(1));
    }

    /** A probe carries no secret, and asks only whether somebody answers. */
    private static SSLContext anyCertificate() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new TrustsAll()}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK has no TLS", e);
        }
    }

    private static final class TrustsAll extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
