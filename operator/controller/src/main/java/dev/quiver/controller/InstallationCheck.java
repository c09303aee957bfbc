package dev.quiver.controller;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.APIResource;
import io.fabric8.kubernetes.api.model.APIResourceList;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.utils.Serialization;
import picocli.CommandLine.Command;

import dev.quiver.controller.run.RecordClient;
import dev.quiver.controller.run.RecordSettings;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.StoreRefusedException;

/**
 * Tells whether a fresh installation can run tasks. The API server is asked for the kinds, Redis for our functions, and
 * history for an answer. A small TaskSet has to succeed, and to be on record. Each question has a line of its own, and
 * one that fails says why. All of them together end within four minutes.
 */
final class InstallationCheck {

    /** For all tasks of the TaskSet, with the pull of its image and the start of its pod. */
    private static final Duration RUNS_WITHIN = Duration.ofMinutes(2);

    private static final Duration ON_RECORD_WITHIN = Duration.ofSeconds(30);
    private static final Duration GONE_WITHIN = Duration.ofSeconds(30);
    private static final Duration ONE_REQUEST = Duration.ofSeconds(5);
    private static final long LOOK_NANOS = Duration.ofMillis(500).toNanos();
    private static final String SUCCEEDED = "Succeeded";
    private static final String COMPONENT = "app.kubernetes.io/component";

    /**
     * The installation that is checked.
     *
     * @param redis directory with the way to Redis
     * @param record where history is; absent in an installation without it
     * @param set the TaskSet that is run; one of its name and component that is there before goes
     */
    record Target(Path redis, Optional<RecordSettings> record, TaskSet set) {

        static Target ofEnvironment(Map<String, String> environment) {
            Variables variables = new Variables(environment);
            TaskSet set =
                    variables.parsed("QUIVER_TEST_TASKSET", "{}", yaml -> Serialization.unmarshal(yaml, TaskSet.class));
            if (set.getSpec() == null
                    || set.getMetadata() == null
                    || set.getMetadata().getNamespace() == null) {
                throw new SettingsException("QUIVER_TEST_TASKSET has no TaskSet with name and namespace");
            }
            return new Target(
                    Path.of(variables.text("QUIVER_REDIS_DIR", "/quiver/redis")),
                    Settings.ofEnvironment(environment).record(),
                    set);
        }
    }

    /** The answer to one question; throws with the reason where it is no. */
    private interface Question {
        String answer() throws IOException;
    }

    private final Target target;
    private final KubernetesClient client;
    private final RecordClient history;
    private final PrintStream out;
    private boolean passed = true;
    private String uid = "";

    InstallationCheck(Target target, KubernetesClient client, PrintStream out) {
        this.target = target;
        this.client = client;
        this.history = new RecordClient(target.record());
        this.out = out;
    }

    /** The command of the program. */
    @Command(
            name = "check-installation",
            description = "Checks the API server's kinds, Redis and history, and runs a TaskSet; for helm test.")
    static final class Program implements Callable<Integer> {

        @Override
        public Integer call() {
            Config config = new ConfigBuilder(Config.autoConfigure(null))
                    .withRequestTimeout((int) ONE_REQUEST.toMillis())
                    .withConnectionTimeout((int) ONE_REQUEST.toMillis())
                    .withRequestRetryBackoffLimit(1)
                    .build();
            try (KubernetesClient client =
                    new KubernetesClientBuilder().withConfig(config).build()) {
                Target target = Target.ofEnvironment(System.getenv());
                return new InstallationCheck(target, client, System.out).passes() ? 0 : 1;
            }
        }
    }

    /** Asks everything, a line each, and tells whether all of it is well. */
    boolean passes() {
        boolean served = ask("API server", this::kinds);
        ask("Redis", this::functions);
        boolean answers = history.isThere() && ask("history", () -> known(history.estimates(namespace(), name())));
        boolean ran = served && ask("tasks", this::runSet);
        if (ran && answers) {
            ask("record", this::recorded);
        }
        return passed;
    }

    private boolean ask(String about, Question question) {
        try {
            out.println("ok      " + about + ": " + question.answer());
            return true;
        } catch (IOException | RuntimeException e) {
            passed = false;
            out.println("FAILED  " + about + ": "
                    + Optional.ofNullable(e.getMessage()).orElse(e.toString()));
            return false;
        }
    }

    private String kinds() {
        String version = HasMetadata.getApiVersion(TaskSet.class);
        APIResourceList list = client.getApiResources(version);
        Set<String> served = list == null
                ? Set.of()
                : list.getResources().stream().map(APIResource::getName).collect(Collectors.toSet());
        Set<String> ours =
                Kinds.ALL.stream().map(HasMetadata::getPlural).collect(Collectors.toCollection(TreeSet::new));
        if (!served.containsAll(ours)) {
            ours.removeAll(served);
            throw new IllegalStateException("it does not serve " + String.join(", ", ours) + " of " + version
                    + ": crds.install=true of the chart installs them");
        }
        return "it serves " + String.join(", ", ours) + " of " + version;
    }

    private String functions() throws IOException {
        RedisEndpoint endpoint = RedisEndpoint.read(target.redis());
        String library = Lifecycle.LIBRARY.name();
        try (RedisStore redis = RedisStore.open(endpoint, "quiver-check")) {
            redis.ping();
            try {
                if (redis.ask(commands -> commands.functionList(library)).isEmpty()) {
                    throw new IllegalStateException(endpoint + " has no functions " + library
                            + ": the operator loads them when it leads; its log says what keeps it");
                }
            } catch (StoreRefusedException e) {
                return endpoint + " answers, and takes no functions: " + e.getMessage();
            }
        }
        return endpoint + " answers and has the functions " + library;
    }

    private static String known(RecordClient.Answer<?> answer) {
        if (answer instanceof RecordClient.Answer.Away<?> away) {
            throw new IllegalStateException(away.why());
        }
        return "it answers";
    }

    private String runSet() {
        Resource<TaskSet> mine =
                client.resources(TaskSet.class).inNamespace(namespace()).withName(name());
        long begun = System.nanoTime();
        Optional<String> ours = component(target.set());
        Optional.ofNullable(mine.get()).ifPresent(found -> {
            if (!component(found).equals(ours)) {
                throw new IllegalStateException("TaskSet " + namespace() + "/" + name()
                        + " is not of this test: give it another name, or the release another fullnameOverride");
            }
            mine.delete();
        });
        if (!within(GONE_WITHIN, () -> mine.get() == null)) {
            throw new IllegalStateException("TaskSet " + name() + " of an earlier test is not gone within "
                    + GONE_WITHIN.toSeconds() + " s: does the operator run?");
        }
        try {
            TaskSet made =
                    client.resource(target.set()).inNamespace(namespace()).create();
            uid = made.getMetadata().getUid();
            TaskSet[] seen = {made};
            boolean over = within(RUNS_WITHIN, () -> {
                seen[0] = look(mine).orElse(seen[0]);
                return isTrue(seen[0], "Finished");
            });
            if (!over || !isTrue(seen[0], SUCCEEDED)) {
                throw new IllegalStateException("TaskSet " + namespace() + "/" + name()
                        + (over ? " did not succeed: " : " is not over after " + RUNS_WITHIN.toSeconds() + " s: ")
                        + conditions(seen[0]));
            }
            return "TaskSet " + namespace() + "/" + name() + " succeeded, "
                    + seen[0].getStatus().progress() + ", within "
                    + Duration.ofNanos(System.nanoTime() - begun).toSeconds() + " s";
        } finally {
            remove(mine);
        }
    }

    /** One request that fails is not the end of the test. */
    private static Optional<TaskSet> look(Resource<TaskSet> resource) {
        try {
            return Optional.ofNullable(resource.get());
        } catch (KubernetesClientException late) {
            return Optional.empty();
        }
    }

    /** Its own time to live removes it otherwise, and the failure of the test must not be hidden. */
    private void remove(Resource<TaskSet> resource) {
        try {
            resource.delete();
        } catch (KubernetesClientException left) {
            out.println("        TaskSet " + name() + " stays for now: " + left.getMessage());
        }
    }

    private static Optional<String> component(TaskSet set) {
        return Optional.ofNullable(set.getMetadata().getLabels()).map(labels -> labels.get(COMPONENT));
    }

    private String recorded() {
        RecordClient.Answer<?>[] last = new RecordClient.Answer<?>[1];
        boolean there = within(ON_RECORD_WITHIN, () -> {
            last[0] = history.latestRun(namespace(), RunKind.TASK_SET, name());
            return last[0] instanceof RecordClient.Answer.Known<?>(RecordClient.EndedRun run)
                    && run.uid().equals(uid);
        });
        if (!there) {
            known(last[0]);
            throw new IllegalStateException("the run is not on record after " + ON_RECORD_WITHIN.toSeconds() + " s");
        }
        return "the run is on record";
    }

    private static boolean isTrue(TaskSet set, String condition) {
        return status(set).map(TaskSetStatus::conditions).orElse(List.of()).stream()
                .anyMatch(it -> it.getType().equals(condition) && it.getStatus().equals("True"));
    }

    private static String conditions(TaskSet set) {
        String words = status(set).map(TaskSetStatus::conditions).orElse(List.of()).stream()
                .map(it -> it.getType() + "=" + it.getStatus() + " (" + it.getReason() + ") " + it.getMessage())
                .collect(Collectors.joining("; "));
        return words.isEmpty() ? "nobody wrote a status: does the operator run, and serve this namespace?" : words;
    }

    private static Optional<TaskSetStatus> status(TaskSet set) {
        return Optional.ofNullable(set.getStatus());
    }

    private static boolean within(Duration limit, BooleanSupplier done) {
        long until = System.nanoTime() + limit.toNanos();
        while (!done.getAsBoolean()) {
            if (System.nanoTime() - until >= 0) {
                return false;
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        return true;
    }

    private String name() {
        return target.set().getMetadata().getName();
    }

    private String namespace() {
        return target.set().getMetadata().getNamespace();
    }
}
