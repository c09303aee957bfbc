package dev.quiver.controller;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;

import dev.quiver.controller.http.ApiRequests;
import dev.quiver.controller.kube.LeanObjects;

/** The program {@code quiver-operator}: without a command it is the operator. */
@Command(
        name = "quiver-operator",
        description = "Runs WorkerPools, TaskSets and Tasks on Kubernetes. Settings come from QUIVER_* variables.",
        mixinStandardHelpOptions = true,
        version = "0.1.0",
        subcommands = {ReleaseFinalizers.class, InitSecret.class, InstallationCheck.Program.class})
public final class Main implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(Main.class);
    private static final long API_AGAIN_NANOS = Duration.ofSeconds(1).toNanos();

    /** Exit code 0 after TERM, 1 when the Lease was lost, 2 for invalid settings. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Main())
                .setExecutionExceptionHandler((e, command, parsed) -> {
                    boolean settings = e instanceof SettingsException;
                    log.error("{}", e.getMessage(), settings ? null : e);
                    return settings ? 2 : 1;
                })
                .execute(arguments));
    }

    @Override
    public void run() {
        Settings settings = Settings.ofEnvironment(System.getenv());
        PrometheusMeterRegistry metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new JvmMemoryMetrics().bindTo(metrics);
        new JvmThreadMetrics().bindTo(metrics);
        KubernetesClient client = client(metrics);
        awaitApi(client);
        try {
            QuiverOperator operator = new QuiverOperator(settings, client, metrics, Main::halt);
            operator.start();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(operator), "stop"));
            // Until TERM: the hook ends the process.
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException("the operator's Redis endpoint: " + e.getMessage(), e);
        }
    }

    /** The version of this program. */
    static String version() {
        return Main.class.getAnnotation(Command.class).version()[0];
    }

    private static KubernetesClient client(PrometheusMeterRegistry metrics) {
        List<String> plurals = Kinds.ALL.stream().map(HasMetadata::getPlural).toList();
        return new KubernetesClientBuilder()
                .withKubernetesSerialization(LeanObjects.serialization())
                .withHttpClientBuilderConsumer(
                        http -> http.addOrReplaceInterceptor(ApiRequests.NAME, new ApiRequests(metrics, plurals)))
                .build();
    }

    /** Waits for an API server that restarts together with this process. */
    private static void awaitApi(KubernetesClient client) {
        boolean logged = false;
        while (true) {
            try {
                client.getKubernetesVersion();
                return;
            } catch (KubernetesClientException e) {
                if (!logged) {
                    log.warn("waiting for the API server: {}", e.getMessage());
                    logged = true;
                }
                LockSupport.parkNanos(API_AGAIN_NANOS);
            }
        }
    }

    /** Ends the operator after TERM, with exit code 0. */
    private static void end(QuiverOperator operator) {
        log.info("stopping");
        operator.close();
        Runtime.getRuntime().halt(0);
    }

    /** Ends at once: two leaders must not overlap while a graceful end takes its time. */
    private static void halt() {
        Runtime.getRuntime().halt(1);
    }
}
