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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

import dev.quiver.crds.v1alpha1.HttpGetProbe;

/**
 * Asks a server by HTTP and reads its status line, and nothing behind that. It is written upon a socket and not with the
 * JDK's client, which looks a name up again when it connects: so an address that was allowed could become another one.
 */
final class HttpCheck {

    /** Bytes of a status line at most. */
    private static final int LINE = 256;

    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] ([1-5][0-9]{2})(?: .*)?");

    private final SSLContext tls = anyCertificate();

    /**
     * Asks a server once.
     *
     * @param target to connect to, and to name in the request
     * @param timeout of everything behind the look-up of the name
     * @return why it failed; absent for an answer from 200 to 399
     */
    Optional<String> failure(HttpGetProbe probe, ProbeHosts.Target target, Duration timeout) {
        String host = target.host();
        try {
            InetAddress address = InetAddress.getByName(host);
            if (!target.allows(address)) {
                return Optional.of(host + " leads to an address that no probe may ask");
            }
            int status = status(ask(probe, host, address, System.nanoTime() + timeout.toNanos()));
            return status >= 200 && status < 400 ? Optional.empty() : Optional.of("answered " + status);
        } catch (UnknownHostException unknown) {
            return Optional.of("there is no host " + host);
        } catch (SocketTimeoutException late) {
            return Optional.of("no answer within " + timeout.toSeconds() + " s");
        } catch (IOException e) {
            return Optional.of(e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage());
        }
    }

    private String ask(HttpGetProbe probe, String host, InetAddress address, long deadline) throws IOException {
        try (Socket plain = new Socket()) {
            plain.connect(new InetSocketAddress(address, probe.port()), left(deadline));
            plain.setSoTimeout(left(deadline));
            if (probe.scheme() == HttpGetProbe.Scheme.HTTP) {
                return ask(plain, probe, host, deadline);
            }
            try (Socket secured = tls.getSocketFactory().createSocket(plain, host, probe.port(), true)) {
                return ask(secured, probe, host, deadline);
            }
        }
    }

    private static String ask(Socket socket, HttpGetProbe probe, String host, long deadline) throws IOException {
        String request = "GET " + probe.path() + " HTTP/1.1\r\nHost: " + host + ":" + probe.port()
                + "\r\nUser-Agent: quiver-probe\r\nAccept: */*\r\nConnection: close\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        StringBuilder line = new StringBuilder();
        InputStream answer = socket.getInputStream();
        while (line.length() < LINE) { // a byte at a time, for a server that sends one a second has no hour to do so
            socket.setSoTimeout(left(deadline));
            int next = answer.read();
            if (next < 0 || next == '\n') {
                break;
            }
            line.append((char) next);
        }
        return line.toString().stripTrailing();
    }

    private static int left(long deadline) throws SocketTimeoutException {
        long millis = (deadline - System.nanoTime()) / 1_000_000;
        if (millis <= 0) {
            throw new SocketTimeoutException();
        }
        return (int) millis;
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
