package dev.quiver.e2e.cluster;

import java.nio.file.Path;
import java.util.Optional;

import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.opentest4j.TestAbortedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives tests a {@link Cluster} parameter: one cluster for all test classes of the JVM, started when the first one
 * asks, ended with the JVM's last test. Where none can be had the classes are skipped and the skip names what is
 * missing. When a test fails the logs of every part are kept in {@code target/cluster-logs/<class>.<method>}.
 */
public final class ClusterExtension implements ExecutionCondition, ParameterResolver, AfterTestExecutionCallback {

    /** The lock that tests share which need the cluster whole, and that a test has alone which breaks it. */
    public static final String CALM = "the calm of the cluster";

    private static final Logger LOG = LoggerFactory.getLogger(ClusterExtension.class);
    private static final ExtensionContext.Namespace SPACE = ExtensionContext.Namespace.create(ClusterExtension.class);

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return choice(context) instanceof ClusterChoice.None(String reason)
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

    /** The cluster itself, for extensions that stand on it; started if nobody has asked before. */
    public static Cluster cluster(ExtensionContext context) {
        return context.getRoot()
                .getStore(SPACE)
                .computeIfAbsent(Cluster.class, key -> start(choice(context)), Cluster.class);
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        Optional<Throwable> failure =
                context.getExecutionException().filter(thrown -> !(thrown instanceof TestAbortedException));
        Cluster cluster = context.getRoot().getStore(SPACE).get(Cluster.class, Cluster.class);
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

    private static ClusterChoice choice(ExtensionContext context) {
        return context.getRoot()
                .getStore(SPACE)
                .computeIfAbsent(
                        ClusterChoice.class,
                        key -> ClusterChoice.from(
                                environment(ClusterChoice.KUBECONFIG_VARIABLE),
                                environment(ClusterChoice.PROVIDER_VARIABLE),
                                K3sCluster::dockerAnswers,
                                LocalCluster::missing),
                        ClusterChoice.class);
    }

    private static Cluster start(ClusterChoice choice) {
        Cluster cluster = switch (choice) {
            case ClusterChoice.Existing(Path kubeconfig) ->
                new ExistingCluster(kubeconfig, environment("QUIVER_E2E_LOAD_IMAGES"));
            case ClusterChoice.K3s _ -> K3sCluster.start(environment("QUIVER_E2E_K3S_IMAGE"));
            case ClusterChoice.Local _ -> LocalCluster.start("e2e");
            case ClusterChoice.None(String reason) -> throw new IllegalStateException(reason);
        };
        LOG.info("tests run on the {}", cluster.description());
        return cluster;
    }

    private static Optional<String> environment(String name) {
        return Optional.ofNullable(System.getenv(name)).filter(value -> !value.isBlank());
    }
}
