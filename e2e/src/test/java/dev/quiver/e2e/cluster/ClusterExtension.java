package dev.quiver.e2e.cluster;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.TestAbortedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives tests a {@link Cluster} parameter. All test classes of the JVM that use it alike share one (see {@link
 * OnCluster}). It is started when the first one asks, and ended with the JVM's last test. Classes are skipped where
 * none can be had, and the skip names what is missing. Says how long each test took. When a test fails the logs of
 * every part are kept in {@code target/cluster-logs/<class>.<method>}.
 */
public final class ClusterExtension
        implements ExecutionCondition, ParameterResolver, BeforeTestExecutionCallback, AfterTestExecutionCallback {

    private static final Logger LOG = LoggerFactory.getLogger(ClusterExtension.class);
    private static final ExtensionContext.Namespace SPACE = ExtensionContext.Namespace.create(ClusterExtension.class);

    /** The name of the cluster whose machines tests break. */
    private static final String TO_BREAK = "broken";

    /** Asked for once: to look for a Docker engine takes a while. */
    private static final class Choice {
        static final ClusterChoice MADE = ClusterChoice.from(
                environment(ClusterChoice.KUBECONFIG_VARIABLE),
                environment(ClusterChoice.PROVIDER_VARIABLE),
                K3sCluster::missing,
                LocalCluster::missing);
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return choice() instanceof ClusterChoice.None(String reason)
                ? ConditionEvaluationResult.disabled("missing: a cluster: " + reason)
                : ConditionEvaluationResult.enabled("there is a cluster");
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Cluster.class;
    }

    @Override
    public Cluster resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return cluster(context);
    }

    /** The cluster of a test, for extensions that stand on it; started if nobody has asked before. */
    public static Cluster cluster(ExtensionContext context) {
        String name = name(context);
        return context.getRoot().getStore(SPACE).computeIfAbsent(name, key -> start(choice(), name), Cluster.class);
    }

    /** Where the clusters of this JVM come from. */
    static ClusterChoice choice() {
        return Choice.MADE;
    }

    /** How a class of tests uses its cluster. */
    static OnCluster.Use use(Class<?> testClass) {
        return AnnotationSupport.findAnnotation(testClass, OnCluster.class)
                .map(OnCluster::value)
                .orElse(OnCluster.Use.SHARED);
    }

    @Override
    public void beforeTestExecution(ExtensionContext context) {
        context.getStore(SPACE).put("began", System.nanoTime());
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        long nanos = System.nanoTime() - context.getStore(SPACE).get("began", Long.class);
        LOG.info("{} took {} s", words(context), TimeUnit.NANOSECONDS.toSeconds(nanos));
        Optional<Throwable> failure =
                context.getExecutionException().filter(thrown -> !(thrown instanceof TestAbortedException));
        Cluster cluster = context.getRoot().getStore(SPACE).get(name(context), Cluster.class);
        if (failure.isEmpty() || cluster == null) {
            return;
        }
        Path folder = Path.of(
                        "target",
                        "cluster-logs",
                        context.getRequiredTestClass().getSimpleName() + "."
                                + context.getRequiredTestMethod().getName())
                .toAbsolutePath();
        try {
            cluster.collectLogs(folder);
            LOG.error("{} failed; logs of every part of the cluster are in {}", context.getDisplayName(), folder);
        } catch (RuntimeException e) {
            LOG.error("the cluster's logs could not be kept", e); // the test's own failure is the news
        }
    }

    private static Cluster start(ClusterChoice choice, String name) {
        long began = System.nanoTime();
        Cluster cluster = switch (choice) {
            case ClusterChoice.Existing(Path kubeconfig) ->
                new ExistingCluster(kubeconfig, environment("QUIVER_E2E_LOAD_IMAGES"));
            case ClusterChoice.K3s _ -> K3sCluster.start(environment("QUIVER_E2E_K3S_IMAGE"));
            case ClusterChoice.Local _ ->
                LocalCluster.start(name, name.equals(TO_BREAK) ? LocalCluster.SHORT_GRACE : LocalCluster.LONG_GRACE);
            case ClusterChoice.None(String reason) -> throw new IllegalStateException(reason);
        };
        LOG.info(
                "tests run on the {}, there after {} s",
                cluster.description(),
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began));
        return cluster;
    }

    /** The name of a test's cluster: one for all where there cannot be two. */
    private static String name(ExtensionContext context) {
        return choice().hasTwo() && use(context.getRequiredTestClass()) == OnCluster.Use.BROKEN ? TO_BREAK : "e2e";
    }

    private static String words(ExtensionContext context) {
        String method = context.getRequiredTestMethod().getName();
        String said = context.getDisplayName();
        return context.getRequiredTestClass().getSimpleName() + "." + method
                + (said.startsWith(method) ? "" : " " + said);
    }

    private static Optional<String> environment(String name) {
        return Optional.ofNullable(System.getenv(name)).filter(value -> !value.isBlank());
    }
}
