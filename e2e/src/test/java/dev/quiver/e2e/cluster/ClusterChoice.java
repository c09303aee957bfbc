package dev.quiver.e2e.cluster;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Which cluster the tests run on. Decided from facts alone; the dearer facts (a Docker engine, this machine's
 * programs) are asked for only when the cheaper ones have not decided.
 */
public sealed interface ClusterChoice {

    /** Names a kubeconfig of a cluster that is there already. */
    String KUBECONFIG_VARIABLE = "QUIVER_E2E_KUBECONFIG";

    /** Asks for one provider by name: existing, k3s or local. */
    String PROVIDER_VARIABLE = "QUIVER_E2E_CLUSTER";

    /** The cluster that a kubeconfig names. */
    record Existing(Path kubeconfig) implements ClusterChoice {}

    /** k3s in a container. */
    record K3s() implements ClusterChoice {}

    /** Real parts in namespaces of this machine. */
    record Local() implements ClusterChoice {}

    /** No cluster can be had; the reason names every missing thing. */
    record None(String reason) implements ClusterChoice {}

    /** Whether the tests that break a cluster can have one to themselves, beside the one that the others share. */
    default boolean hasTwo() {
        return this instanceof Local;
    }

    /**
     * Decides.
     *
     * @param kubeconfig the value of {@link #KUBECONFIG_VARIABLE}
     * @param provider the value of {@link #PROVIDER_VARIABLE}
     * @param docker the reason why no Docker engine runs k3s, in words; none where one does
     * @param missing what this machine lacks for a local cluster, one thing each; nothing when it can run
     */
    static ClusterChoice from(
            Optional<String> kubeconfig,
            Optional<String> provider,
            Supplier<Optional<String>> docker,
            Supplier<List<String>> missing) {
        return switch (provider.orElse(kubeconfig.isPresent() ? "existing" : "any")) {
            case "existing" ->
                kubeconfig
                        .<ClusterChoice>map(file -> new Existing(Path.of(file)))
                        .orElseGet(() -> new None(KUBECONFIG_VARIABLE + " is not set"));
            case "k3s" -> docker.get().<ClusterChoice>map(None::new).orElseGet(K3s::new);
            case "local" -> local(missing.get(), "");
            case "any" ->
                docker.get()
                        .map(reason -> local(missing.get(), "; and for k3s " + reason))
                        .orElseGet(K3s::new);
            default -> new None(PROVIDER_VARIABLE + " is '" + provider.get() + "', not existing, k3s or local");
        };
    }

    private static ClusterChoice local(List<String> missing, String besides) {
        return missing.isEmpty()
                ? new Local()
                : new None("a local cluster cannot run here, missing: " + String.join(", ", missing) + besides);
    }
}
