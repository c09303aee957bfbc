package dev.quiver.controller.pool.podspec;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.Capabilities;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;

/**
 * Checks that the user's containers cannot read the supervisor's traffic. All containers of a pod share its network, so
 * without TLS a process that may read raw packets reads the password of Redis (tried). The API server refuses other
 * breaches of isolation when the template is applied. Pure.
 */
public final class IsolationCheck {

    /** Capabilities with which a process reads the network, or reaches another process that does. */
    private static final Set<String> EAVESDROPPING = Set.of(
            "ALL",
            "NET_RAW",
            "NET_ADMIN",
            "BPF",
            "PERFMON",
            "SYS_ADMIN",
            "SYS_MODULE",
            "SYS_RAWIO",
            "SYS_PTRACE",
            "DAC_READ_SEARCH");

    private static final String RAW = "NET_RAW";

    private IsolationCheck() {}

    /** The reason why this template cannot run beside a supervisor; names field and value. */
    public static Optional<String> problem(PodSpec template, boolean redisHasTls) {
        return redisHasTls
                ? Optional.empty()
                : Stream.of(
                                in("containers", template.getContainers()),
                                in("initContainers", template.getInitContainers()))
                        .flatMap(found -> found)
                        .findFirst()
                        .map(field -> field + " lets a task read the supervisor's traffic with Redis, its password too:"
                                + " leave it out, or give Redis TLS (a rediss:// address)");
    }

    private static Stream<String> in(String list, List<Container> containers) {
        return containers.stream()
                .filter(c -> c.getSecurityContext() != null)
                .flatMap(c -> offences(c.getSecurityContext())
                        .map(offence ->
                                "spec.template.spec." + list + "[" + c.getName() + "].securityContext." + offence));
    }

    private static Stream<String> offences(SecurityContext context) {
        Stream<String> privileged =
                Boolean.TRUE.equals(context.getPrivileged()) ? Stream.of("privileged: true") : Stream.empty();
        return Stream.concat(
                privileged, added(context).filter(IsolationCheck::eavesdrops).map(c -> "capabilities.add: " + c));
    }

    /** A container's security context as in the template, but for the raw packets that runtimes allow by default. */
    static SecurityContext withoutRawPackets(SecurityContext template) {
        SecurityContextBuilder context =
                template == null ? new SecurityContextBuilder() : new SecurityContextBuilder(template);
        boolean asked = added(template).anyMatch(c -> Set.of("ALL", RAW).contains(plain(c)));
        boolean dropped = dropped(template).anyMatch(c -> Set.of("ALL", RAW).contains(plain(c)));
        return asked || dropped
                ? context.build()
                : context.editOrNewCapabilities()
                        .addToDrop(RAW)
                        .endCapabilities()
                        .build();
    }

    /** Whether the template asks for every capability there is. */
    static boolean addsAll(SecurityContext template) {
        return added(template).anyMatch(c -> "ALL".equals(plain(c)));
    }

    private static boolean eavesdrops(String capability) {
        return EAVESDROPPING.contains(plain(capability));
    }

    private static Stream<String> added(SecurityContext context) {
        return capabilities(context).stream().flatMap(c -> c.getAdd().stream());
    }

    private static Stream<String> dropped(SecurityContext context) {
        return capabilities(context).stream().flatMap(c -> c.getDrop().stream());
    }

    private static Optional<Capabilities> capabilities(SecurityContext context) {
        return Optional.ofNullable(context).map(SecurityContext::getCapabilities);
    }

    /** Runtimes take both {@code NET_RAW} and {@code CAP_NET_RAW}, in any case. */
    private static String plain(String capability) {
        String upper = capability.toUpperCase(Locale.ROOT);
        return upper.startsWith("CAP_") ? upper.substring("CAP_".length()) : upper;
    }
}
