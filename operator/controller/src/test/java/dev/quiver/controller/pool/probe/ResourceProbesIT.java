package dev.quiver.controller.pool.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.Samples;
import dev.quiver.crds.v1alpha1.ExecProbe;
import dev.quiver.crds.v1alpha1.HttpGetProbe;
import dev.quiver.crds.v1alpha1.PoolResource;
import dev.quiver.crds.v1alpha1.ResourceProbe;
import dev.quiver.crds.v1alpha1.ScheduleProbe;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.redis.StoreUnreachableException;
import dev.quiver.lifecycle.task.tree.FunctionProbe;

/** Probes ask a real server, and tell a gate that notes it. */
class ResourceProbesIT {

    private static final Keyspace KEYSPACE = Keyspace.ofNamespace("team");
    private static final ResourceProbe ALWAYS =
            new ResourceProbe(null, null, new ScheduleProbe("* * * * *", 3600, null), null, null, null, null);

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicInteger status = new AtomicInteger(200);
    private final List<String> told = new CopyOnWriteArrayList<>();
    private Set<String> untold = Set.of();
    private Optional<Long> announcement = Optional.of(1L);
    private RuntimeException refusal;
    private HttpServer server;

    private final Functions functions = new Functions();

    /** Functions that answer as a test says. */
    private static final class Functions implements FunctionProbe {
        private final List<String> asked = new CopyOnWriteArrayList<>();
        private Answer answer = Answer.NONE;
        private RuntimeException refusal;
        private boolean over = true;

        @Override
        public String ask(String pool, String name, String handler, List<JsonNode> args, Duration timeout) {
            asked.add(pool + " " + name + " " + handler + args + " " + timeout);
            if (refusal != null) {
                throw refusal;
            }
            return "q" + asked.size();
        }

        @Override
        public Set<String> over(Collection<String> questions) {
            return over ? Set.copyOf(questions) : Set.of();
        }

        @Override
        public Answer answer(String question) {
            return answer;
        }
    }

    private static PoolResource called(String name) {
        ExecProbe calls = new ExecProbe("check", List.of(TextNode.valueOf("imap")));
        return probed(name, new ResourceProbe(null, calls, null, 2, 3, 1, 1));
    }

    private final ResourceProbes probes = new ResourceProbes(
            _ -> (pool, there) -> {
                if (refusal != null) {
                    throw refusal;
                }
                there.forEach((resource, is) -> {
                    if (!untold.contains(resource)) {
                        told.add(pool + "/" + resource + (is ? " there" : " missing"));
                    }
                });
                return untold;
            },
            _ -> functions,
            _ -> announcement,
            new ProbeHosts(true, List.of("127.0.0.1")),
            Clock.systemUTC());

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(status.get(), -1);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
        threads.close();
    }

    private ResourceProbe http(String host, String path) {
        HttpGetProbe asks = new HttpGetProbe(host, server.getAddress().getPort(), path, null);
        return new ResourceProbe(asks, null, null, 2, 10, 1, 1);
    }

    private static WorkerPool pool(PoolResource... resources) {
        WorkerPool pool = new WorkerPool();
        pool.setMetadata(new ObjectMetaBuilder()
                .withName("mail")
                .withNamespace("team")
                .withUid("u1")
                .build());
        pool.setSpec(WorkerPoolSpecBuilder.builder()
                .template(Samples.template())
                .resources(List.of(resources))
                .build());
        return pool;
    }

    private static PoolResource probed(String name, ResourceProbe probe) {
        return new PoolResource(name, null, null, null, null, probe);
    }

    private void follow(PoolResource... resources) {
        probes.follow(pool(resources), KEYSPACE);
    }

    private void until(String... words) {
        Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            probes.poll(KEYSPACE);
            assertThat(told).containsExactly(words);
        });
    }

    @Test
    void tellsEachVerdictOnceAndWhy() {
        follow(probed("online", http("127.0.0.1", "/")), new PoolResource("plain", null, null, null, null, null));
        until("mail/online there");
        assertThat(probes.reasons("u1")).isEmpty();
        status.set(503);
        until("mail/online there", "mail/online missing");
        assertThat(probes.reasons("u1"))
                .containsEntry(
                        "online", "GET http://127.0.0.1:" + server.getAddress().getPort() + "/: answered 503");
        status.set(200);
        until("mail/online there", "mail/online missing", "mail/online there");
        assertThat(probes.reasons("u1")).isEmpty();
    }

    /** A keyspace that lost its state is announced again, and the word with it. */
    @Test
    void tellsAnotherAnnouncementTheSame() {
        follow(probed("office", ALWAYS));
        announcement = Optional.empty();
        probes.poll(KEYSPACE);
        assertThat(told).as("before the pool is announced").isEmpty();
        announcement = Optional.of(1L);
        until("mail/office there");
        probes.poll(KEYSPACE);
        announcement = Optional.of(2L);
        until("mail/office there", "mail/office there");
    }

    @Test
    void whatMayNotBeAskedIsMissingAndSaysSo() {
        follow(probed("online", http("metadata.example.org", "/")));
        until("mail/online missing");
        assertThat(probes.reasons("u1").get("online"))
                .isEqualTo(
                        "metadata.example.org is no Service of this namespace that the operator may ask, and no host of"
                                + " its setting probeHosts");
    }

    @Test
    void aProbeThatIsGoneTellsNothingAnyMore() {
        follow(probed("online", http("127.0.0.1", "/")));
        until("mail/online there");
        follow(new PoolResource("online", null, null, null, null, null));
        status.set(503);
        assertThat(probes.keyspaces()).isEmpty();
        probes.poll(KEYSPACE);
        assertThat(told).containsExactly("mail/online there");
    }

    @Test
    void anUnchangedProbeKeepsItsWordThroughAChangeOfItsPool() {
        ResourceProbe same = http("127.0.0.1", "/");
        follow(probed("online", same));
        until("mail/online there");
        follow(probed("online", same), new PoolResource("other", null, null, null, null, null));
        probes.poll(KEYSPACE);
        assertThat(told).containsExactly("mail/online there");
    }

    @Test
    void whatRedisRefusesIsToldAtTheNextLook() {
        follow(probed("office", ALWAYS));
        refusal = new StoreRefusedException(StoreRefusedException.Kind.OTHER, "a tenant wrote here", null);
        probes.poll(KEYSPACE);
        for (RuntimeException passing : List.of(
                new StoreRefusedException(StoreRefusedException.Kind.PASSING, "BUSY", null),
                new StoreUnreachableException("away", null))) {
            refusal = passing;
            assertThatThrownBy(() -> probes.poll(KEYSPACE)).isSameAs(passing);
        }
        refusal = null;
        until("mail/office there");
    }

    @Test
    void whatOneNameIsRefusedHindersNoOther() {
        follow(probed("a", ALWAYS), probed("b", ALWAYS));
        untold = Set.of("a");
        until("mail/b there");
        untold = Set.of();
        until("mail/b there", "mail/a there");
    }

    @Test
    void wakesThePoolWhenAnotherReasonIsKnown() {
        List<ResourceID> woken = new CopyOnWriteArrayList<>();
        probes.onChange(woken::addAll);
        follow(probed("online", http("metadata.example.org", "/")));
        until("mail/online missing");
        probes.poll(KEYSPACE);
        assertThat(woken).containsExactly(new ResourceID("mail", "team"));
    }

    @Test
    void aFunctionIsCalledEachPeriodAndSaysWhetherItIsThere() {
        functions.answer = new FunctionProbe.Answer(true, Optional.of("Error: login refused"));
        follow(called("online"));
        until("mail/online missing");
        assertThat(functions.asked).startsWith("mail online check[\"imap\"] PT3S");
        assertThat(probes.reasons("u1")).containsEntry("online", "check: Error: login refused");
        functions.answer = new FunctionProbe.Answer(true, Optional.empty());
        until("mail/online missing", "mail/online there");
    }

    @Test
    void aCallThatIsOpenOrLostSaysNothing() {
        functions.over = false;
        follow(called("online"));
        probes.poll(KEYSPACE);
        probes.poll(KEYSPACE);
        assertThat(functions.asked).hasSize(1);
        functions.over = true;
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
            probes.poll(KEYSPACE);
            return functions.asked.size() == 2;
        });
        assertThat(told).isEmpty();
    }

    @Test
    void aCallThatRedisRefusesHindersNoOtherWord() {
        functions.refusal = new StoreRefusedException(StoreRefusedException.Kind.OTHER, "a tenant wrote here", null);
        follow(called("online"), probed("office", ALWAYS));
        until("mail/office there");
        functions.refusal = new StoreRefusedException(StoreRefusedException.Kind.PASSING, "BUSY", null);
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(
                        () -> assertThatThrownBy(() -> probes.poll(KEYSPACE)).isSameAs(functions.refusal));
        functions.refusal = null;
        functions.answer = new FunctionProbe.Answer(true, Optional.empty());
        until("mail/office there", "mail/online there");
    }

    @Test
    void argumentsThatNoTaskCanHaveAreSaid() {
        functions.refusal = new IllegalArgumentException("there is no node a");
        follow(called("online"));
        until("mail/online missing");
        assertThat(probes.reasons("u1")).containsEntry("online", "check: there is no node a");
    }

    /** Else a tenant that changes its pool again and again would have as many requests wait as it likes. */
    @Test
    void requestsOfProbesThatAreGoneAreNotMade() {
        CountDownLatch open = new CountDownLatch(1);
        List<String> asked = new CopyOnWriteArrayList<>();
        server.createContext("/slow", exchange -> {
            asked.add(exchange.getRequestURI().getPath());
            try {
                open.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        follow(IntStream.range(0, 12)
                .mapToObj(i -> probed("r" + i, http("127.0.0.1", "/slow/" + i)))
                .toArray(PoolResource[]::new));
        probes.poll(KEYSPACE);
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> asked.size() == 4);
        follow(probed("fresh", http("127.0.0.1", "/fresh")));
        open.countDown();
        until("mail/fresh there");
        assertThat(asked).hasSize(4);
    }

    /** One slow server of a namespace does not take all that the operator can ask at once. */
    @Test
    void asksFourAtOnceOfANamespace() {
        CountDownLatch open = new CountDownLatch(1);
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        server.createContext("/slow", exchange -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            try {
                open.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            now.decrementAndGet();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        follow(IntStream.range(0, 12)
                .mapToObj(i -> probed("r" + i, http("127.0.0.1", "/slow/" + i)))
                .toArray(PoolResource[]::new));
        probes.poll(KEYSPACE);
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .during(Duration.ofMillis(300))
                .until(() -> {
                    probes.poll(KEYSPACE);
                    return now.get() == 4;
                });
        assertThat(most.get()).isEqualTo(4);
        open.countDown();
        Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            probes.poll(KEYSPACE);
            assertThat(told).hasSize(12);
        });
    }
}
