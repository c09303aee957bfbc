package dev.quiver.controller.pool.probe;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.quiver.crds.v1alpha1.HttpGetProbe;

/**
 * The servers that probes may ask. A probe goes out from the operator, which reaches more than the pods of a namespace do.
 * So a namespace has its own Services, where the administrator lets it, and hosts that the administrator names. Pure.
 *
 * @param ownServices whether a pool may name a Service of its own namespace
 * @param allowed names of hosts with a dot, {@code *.} before one for all below it, and {@code *} for all hosts
 */
public record ProbeHosts(boolean ownServices, List<String> allowed) {

    /** Stands in the setting for the Services of a pool's own namespace. */
    static final String SERVICES = "services";

    private static final String ALL = "*";
    private static final Pattern FORM = Pattern.compile("(\\*\\.)?" + HttpGetProbe.HOST.substring(1));

    /** Copies the list. */
    public ProbeHosts {
        allowed = List.copyOf(allowed);
    }

    /**
     * Reads the setting.
     *
     * @param text hosts and {@value #SERVICES}, with commas between; empty for none
     * @throws IllegalArgumentException naming what is no host
     */
    public static ProbeHosts read(String text) {
        List<String> all = Stream.of(text.split(","))
                .map(host -> host.strip().toLowerCase(Locale.ROOT))
                .filter(host -> !host.isEmpty())
                .toList();
        List<String> hosts = all.stream().filter(host -> !host.equals(SERVICES)).toList();
        hosts.stream()
                .filter(host -> !host.equals(ALL)
                        && !(host.contains(".") && FORM.matcher(host).matches()))
                .findFirst()
                .ifPresent(host -> {
                    throw new IllegalArgumentException(
                            "\"" + host + "\" is no name of a host with a dot, nor *. before one, nor *");
                });
        return new ProbeHosts(all.contains(SERVICES), hosts);
    }

    /**
     * A server to ask.
     *
     * @param host its name
     * @param exact whether the administrator named this very host: then its address does not matter
     */
    record Target(String host, boolean exact) {

        /**
         * Whether a probe may connect to an address that the name led to. The operator's own machine, and what a cloud
         * offers on its link, answer no probe only because some name leads there.
         */
        boolean allows(InetAddress address) {
            return exact
                    || !address.isLoopbackAddress()
                            && !address.isLinkLocalAddress()
                            && !address.isAnyLocalAddress()
                            && !address.isMulticastAddress()
                            && !isOurs(address);
        }

        private static boolean isOurs(InetAddress address) {
            try {
                return NetworkInterface.getByInetAddress(address) != null;
            } catch (SocketException unknown) {
                return true;
            }
        }
    }

    /** The server to ask for a pool's probe; absent where the pool may not ask it. */
    Optional<Target> target(String host, String namespace) {
        String name = host.toLowerCase(Locale.ROOT);
        if (allowed.contains(name)) {
            return Optional.of(new Target(name, true));
        }
        String service = name.contains(".") ? name : name + "." + namespace + ".svc";
        if (ownServices && service.equals(service(service) + "." + namespace + ".svc")) {
            return Optional.of(new Target(service, false));
        }
        return allowed.stream().anyMatch(pattern -> allows(pattern, name))
                ? Optional.of(new Target(name, false))
                : Optional.empty();
    }

    private static String service(String name) {
        return name.substring(0, name.indexOf('.'));
    }

    private static boolean allows(String pattern, String host) {
        return pattern.equals(ALL) || pattern.startsWith("*.") && host.endsWith(pattern.substring(1));
    }
}
