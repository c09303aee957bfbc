package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.controller.rig.AnsweringHistory;
import dev.quiver.controller.rig.Kubelet;
import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.RunningOperator;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.controller.run.RecordSettings;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.RedisProcess;

/** The command of {@code helm test}: which lines a person gets from it, and how it ends. */
@ExtendWith(ApiServer.class)
class InstallationCheckIT {

    private static final String POOL = "tset-checked";

    @RegisterExtension
    static final RunningOperator OPERATOR = new RunningOperator();

    /** The common pool has one thread on two cores, and the client of Kubernetes needs it. */
    private static final ExecutorService WORKERS = Executors.newVirtualThreadPerTaskExecutor();

    @TempDir
    private Path folder;

    /** A pod that is left would be taken for that of the next test, whose pool is another one of the same name. */
    @AfterEach
    void leavesNoTaskSetAndNoPod(KubernetesClient client) {
        Seen.gone(() -> client.resources(TaskSet.class).withName("checked").get());
        Seen.gone(() -> client.resources(WorkerPool.class).withName(POOL).get());
        Seen.until(() -> new Kubelet(client).pods(POOL), List::isEmpty);
    }

    @AfterAll
    static void end() {
        WORKERS.close();
    }

    @Test
    void anInstallationThatRunsTasksPasses(KubernetesClient client) throws Exception {
        redisIs(OPERATOR.redisUri());
        Future<?> worked = WORKERS.submit(() -> work(client, true));
        Outcome outcome = check(client, Optional.empty());
        worked.get();
        assertThat(outcome.lines())
                .satisfiesExactly(
                        api -> assertThat(api)
                                .isEqualTo("ok      API server: it serves mapreducejobs, qtasks, tasksets, workerpools"
                                        + " of quiver.dev/v1alpha1"),
                        redis -> assertThat(redis)
                                .startsWith("ok      Redis: standalone redis://")
                                .endsWith(" answers and has the functions " + Lifecycle.LIBRARY.name())
                                .doesNotContain("@"),
                        tasks -> assertThat(tasks).contains("ok      tasks: TaskSet ", " succeeded, 4/4, within "));
        assertThat(outcome.passed()).isTrue();
    }

    @Test
    void aTaskThatFailsIsToldWithItsConditionAndTheSetOfAnEarlierTestIsInNobodysWay(KubernetesClient client)
            throws Exception {
        redisIs(OPERATOR.redisUri());
        client.resource(Samples.set("checked", Samples.counted(7).cancel(true))).create();
        Future<?> worked = WORKERS.submit(() -> work(client, false));
        Outcome outcome = check(client, Optional.empty());
        worked.get();
        assertThat(outcome.lines().getLast())
                .startsWith("FAILED  tasks: TaskSet ")
                .contains("/checked did not succeed: ", "Succeeded=False (");
        assertThat(outcome.passed()).isFalse();
    }

    @Test
    void aPersonsTaskSetOfThatNameIsLeftAlone(KubernetesClient client) throws Exception {
        redisIs(OPERATOR.redisUri());
        TaskSet persons = Samples.set("checked", Samples.counted(7));
        persons.getMetadata().setLabels(Map.of("app.kubernetes.io/component", "theirs"));
        String uid = client.resource(persons).create().getMetadata().getUid();
        assertThat(check(client, Optional.empty()).lines().getLast())
                .startsWith("FAILED  tasks: TaskSet ")
                .contains("/checked is not of this test");
        TaskSet found = client.resources(TaskSet.class).withName("checked").get();
        assertThat(found.getMetadata().getUid()).isEqualTo(uid);
        assertThat(found.getMetadata().getDeletionTimestamp()).isNull();
        client.resource(found).delete();
    }

    /** Each answer is one that a person needs, whatever else is wrong. */
    @Test
    void redisAndHistoryThatAreAwayAreToldBesideWhatWorks(KubernetesClient client) throws Exception {
        redisIs("redis://quiver.admin:secret@127.0.0.1:" + portOfNobody() + "/0");
        try (AnsweringHistory history = AnsweringHistory.listen()) {
            history.answer("/v1/namespaces/" + client.getNamespace() + "/classes/checked/estimates", 403, new byte[0]);
            Future<?> worked = WORKERS.submit(() -> work(client, true));
            Outcome outcome = check(client, Optional.of(history.settings()));
            worked.get();
            assertThat(outcome.lines())
                    .satisfiesExactly(
                            api -> assertThat(api).startsWith("ok      API server: "),
                            redis -> assertThat(redis)
                                    .startsWith("FAILED  Redis: ")
                                    .doesNotContain("secret"),
                            told -> assertThat(told)
                                    .startsWith("FAILED  history: ")
                                    .contains("403"),
                            tasks -> assertThat(tasks).startsWith("ok      tasks: "));
            assertThat(outcome.passed()).isFalse();
        }
    }

    @Test
    void aRedisWithoutFunctionsIsNoneThatAnOperatorLooksAfter(KubernetesClient client) throws Exception {
        try (RedisProcess other = RedisProcess.start()) {
            redisIs(other.uri());
            Future<?> worked = WORKERS.submit(() -> work(client, true));
            Outcome outcome = check(client, Optional.empty());
            worked.get();
            assertThat(outcome.lines().get(1))
                    .startsWith("FAILED  Redis: ")
                    .contains(" has no functions " + Lifecycle.LIBRARY.name() + ": the operator loads them");
        }
    }

    @Test
    void theTestsOwnSettingsAreRefusedByName() {
        assertThatThrownBy(() -> InstallationCheck.Target.ofEnvironment(Map.of()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("QUIVER_TEST_TASKSET");
    }

    private static int portOfNobody() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private void redisIs(String uri) throws IOException {
        Files.writeString(folder.resolve("uri"), uri);
    }

    private Outcome check(KubernetesClient client, Optional<RecordSettings> record) {
        TaskSet set = Samples.set("checked", Samples.counted(4).maxTrials(1));
        set.getMetadata().setNamespace(client.getNamespace());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        boolean passed = new InstallationCheck(
                        new InstallationCheck.Target(folder, record, set),
                        client,
                        new PrintStream(out, true, StandardCharsets.UTF_8))
                .passes();
        return new Outcome(passed, out.toString(StandardCharsets.UTF_8).lines().toList());
    }

    /** The tasks of the set, passed or failed. */
    private static Void work(KubernetesClient client, boolean pass) throws InterruptedException {
        Seen seen = new Seen(client);
        var pod = seen.awaitPods(POOL, 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            Seen.until(() -> worker.claim(4), held -> held == 4);
            if (pass) {
                worker.pass();
            } else {
                worker.fail();
            }
        }
        return null;
    }

    private record Outcome(boolean passed, List<String> lines) {}
}
