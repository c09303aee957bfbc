package dev.quiver.controller.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.HttpURLConnection;
import java.time.Clock;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;

/** A status says what the present leader knows, of the resource that it looked at. */
@ExtendWith(ApiServer.class)
class StatusWriterIT {

    private StatusWriter<WorkerPoolStatus, WorkerPool> writer;
    private StatusWriter<WorkerPoolStatus, WorkerPool> successor;
    private WorkerPool seen;

    @BeforeEach
    void create(KubernetesClient client) {
        writer = writer(client);
        successor = writer(client);
        client.resources(WorkerPool.class).withName("p").delete();
        seen = client.resource(Samples.pool("p", 1)).create();
    }

    @Test
    void writesAgainAndAgainThoughItsCopyIsOld(KubernetesClient client) {
        for (int replicas = 1; replicas <= 3; replicas++) {
            assertThat(writer.write(seen, status(replicas), Change.AT_ONCE)).isEmpty();
        }
        assertThat(present(client).getStatus().replicas()).isEqualTo(3);
        assertThat(writer.current(seen)).contains(status(3));
    }

    @Test
    void whatALeaderSaysThatWasReplacedMeanwhileIsRefused(KubernetesClient client) {
        writer.write(seen, status(1), Change.AT_ONCE);
        successor.write(present(client), status(2), Change.AT_ONCE);
        assertConflict(() -> writer.write(seen, status(3), Change.AT_ONCE));
        assertThat(present(client).getStatus().replicas()).isEqualTo(2);
        assertThat(writer.current(present(client)))
                .as("what the other wrote is what stands")
                .contains(status(2));
        writer.write(present(client), status(4), Change.AT_ONCE);
        assertThat(present(client).getStatus().replicas()).isEqualTo(4);
    }

    @Test
    void aWordAboutAResourceWhoseNameWasTakenByAnotherIsRefused(KubernetesClient client) {
        client.resources(WorkerPool.class).withName("p").delete();
        client.resource(Samples.pool("p", 1)).create();
        assertConflict(() -> writer.write(seen, status(1), Change.AT_ONCE));
        assertThat(present(client).getStatus()).isNull();
    }

    @Test
    void aResourceThatIsGoneIsNoError(KubernetesClient client) {
        client.resources(WorkerPool.class).withName("p").delete();
        assertThat(writer.write(seen, status(1), Change.AT_ONCE)).isEmpty();
        assertThat(client.resources(WorkerPool.class).withName("p").get()).isNull();
    }

    @Test
    void aCopyThatIsLaterThanTheLastWriteIsBelieved(KubernetesClient client) {
        writer.write(seen, status(1), Change.AT_ONCE);
        client.resources(WorkerPool.class).withName("p").scale(3);
        assertThat(writer.current(present(client)))
                .as("it says the same when read back, so nothing is written twice")
                .contains(status(1));
        successor.write(present(client), status(2), Change.AT_ONCE);
        assertThat(writer.current(present(client))).contains(status(2));
    }

    private static void assertConflict(Runnable write) {
        assertThatThrownBy(write::run)
                .isInstanceOfSatisfying(
                        KubernetesClientException.class,
                        e -> assertThat(e.getCode()).isEqualTo(HttpURLConnection.HTTP_CONFLICT));
    }

    private static WorkerPool present(KubernetesClient client) {
        return client.resources(WorkerPool.class).withName("p").require();
    }

    private static WorkerPoolStatus status(int replicas) {
        return WorkerPoolStatusBuilder.builder().replicas(replicas).build();
    }

    private static StatusWriter<WorkerPoolStatus, WorkerPool> writer(KubernetesClient client) {
        return new StatusWriter<>(
                client,
                new WriteBudget(50),
                new ActiveResources(),
                WorkerPool::new,
                Counter.builder("writes").register(new SimpleMeterRegistry()),
                Clock.systemUTC());
    }
}
