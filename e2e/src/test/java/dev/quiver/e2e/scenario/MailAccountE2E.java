package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.ResourceState;
import dev.quiver.crds.v1alpha1.TaskState;
import dev.quiver.e2e.cluster.Images;
import dev.quiver.e2e.cluster.Repository;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tree;

/** A mail account whose server goes and comes back, and whose workers are killed. */
@Scenario
class MailAccountE2E {

    /** More than are sent while one question is asked. */
    private static final int MAILS = 20;

    private static final String MOUNT = "volumeMounts: [{name: mail, mountPath: /mail}]";
    private static final String VOLUME = "volumes: [{name: mail, configMap: {name: mail}}]";

    private Space space;
    private Pool pool;

    @BeforeEach
    void open(Space space, Installation quiver) {
        this.space = space;
        quiver.load(Images.archives("columns"));
        String files = Repository.root().resolve("e2e/src/test/resources/mail").toString();
        space.kubectl().run("create", "configmap", "mail", "--from-file=" + files);
        space.kubectl().apply("""
                apiVersion: v1
                kind: Pod
                metadata: {name: imap, labels: {app: imap}}
                spec:
                  %1$s
                  securityContext: {runAsNonRoot: true, runAsUser: 1000, seccompProfile: {type: RuntimeDefault}}
                  containers:
                    - name: server
                      image: quiver/columns:0.1.0
                      command: [python3, /mail/server.py]
                      securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
                      %2$s
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: imap}
                spec: {selector: {app: imap}, ports: [{port: 4143}]}
                ---
                apiVersion: quiver.dev/v1alpha1
                kind: WorkerPool
                metadata: {name: mail}
                spec:
                  replicas: 1
                  drainSeconds: 5
                  slots: {count: 4}
                  resources: [{name: online}, {name: "credentials!*"}]
                  resourceAliases: [{name: "online!account!*", resources: [online, "credentials!*"]}]
                  handler: {command: [python3, /mail/account.py]}
                  template:
                    spec:
                      securityContext: {runAsNonRoot: true}
                      %1$s
                      containers: [{name: worker, image: quiver/columns:0.1.0, %2$s}]
                """.formatted(VOLUME, MOUNT));
        pool = space.pool("mail");
        pool.awaitReady();
        space.kubectl().run("wait", "pod/imap", "--for=condition=Ready", "--timeout=2m");
    }

    private Tree task(String name, String spec) {
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: %s}
                spec:
                  workerPoolRef: {name: mail}
                  %s
                """.formatted(name, spec));
        return space.tree(name);
    }

    private Tree flag(String name, String message, boolean on) {
        return task(
                name,
                "task: {handler: flags, plan: true, complexKey: '0', args: [{message: %s, flag: seen, \"on\": %s}]}"
                        .formatted(message, on));
    }

    private JsonNode server(String question) {
        try {
            return new JsonMapper()
                    .readTree(space.kubectl().run("exec", "imap", "--", "python3", "/mail/server.py", "ask", question));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private JsonNode shown() {
        return server("{\"do\": \"show\"}");
    }

    /** The keys of all that the server was told to do of this kind. */
    private List<String> told(String what) {
        List<String> all = new ArrayList<>();
        shown().path("told").forEach(words -> {
            if (words.path(0).asText().equals(what)) {
                all.add(words.path(1).asText());
            }
        });
        return all;
    }

    private static void await(String what, Callable<Boolean> so) {
        Awaitility.await(what).until(so);
    }

    @Test
    void whatIsLookedAtComesFirstAndOfflineWorkIsPlannedAndWaits() {
        Tree sync = task("sync", """
                relPriority: 1000
                  nodes:
                    - {name: all, group: [newer, older]}
                    - {name: newer, iterator: {handler: conversations, window: 10000, args: [0, 5000]}}
                    - {name: older, iterator: {handler: conversations, window: 10000, args: [5000, 5000]}}
                """);
        await("10,000 conversations that are not synced", () -> told("fetch").size() > 20);
        int before = told("fetch").size();
        space.kubectl()
                .run(
                        "patch",
                        "wpool",
                        "mail",
                        "--type=merge",
                        "--patch",
                        "{\"spec\":{\"priorityBoosts\":[{\"tag\":\"view:conv:0.9000\",\"boost\":90000}]}}");
        await("the conversation that is looked at", () -> told("fetch").contains("9000"));
        assertThat(told("fetch").indexOf("9000")).as("it passes thousands").isLessThan(before + 3000);

        server("{\"do\": \"offline\", \"on\": true}");
        pool.await(
                "that is offline and counts what waits",
                status -> status.blocked() != null
                        && status.blocked() > 5000
                        && status.resources().stream()
                                .anyMatch(it -> it.name().equals("online") && it.state() == ResourceState.Missing));
        assertThat(flag("see-3", "m3", true).awaitFinished().result().asText()).isEqualTo("waits");
        assertThat(flag("see-4", "m4", true).awaitFinished().result().asText()).isEqualTo("waits");
        assertThat(flag("unsee-4", "m4", false).awaitFinished().result().asText())
                .isEqualTo("void");
        Tree draft = task("draft", "undo: true\n  task: {handler: save-draft, plan: true, args: [d1]}");
        draft.await("planned, and blocked", status -> status.blockedOn().contains("online"));
        List<Tree> filed = IntStream.range(0, 3)
                .mapToObj(
                        i -> task("filed-" + i, "task: {handler: save-draft, plan: true, args: [f" + i + ", letters]}"))
                .toList();
        filed.forEach(it -> it.await(
                "planned, behind its folder",
                status -> status.tree().stream()
                        .anyMatch(node -> "waits for 1 task that its plan put before it".equals(node.message()))));

        server("{\"do\": \"offline\", \"on\": false}");
        draft.awaitFinished();
        filed.forEach(Tree::awaitFinished);
        assertThat(told("create")).as("one for all").containsExactly("letters");
        assertThat(shown().at("/folders/letters").fieldNames())
                .toIterable()
                .containsExactlyInAnyOrder("f0", "f1", "f2");
        await("the flag that was set", () -> told("store").contains("m3"));
        assertThat(told("store")).as("the opposites were void").containsExactly("m3");
        assertThat(shown().at("/folders/drafts").has("d1")).isTrue();
        task("no-draft", "undoOf: draft").awaitFinished();
        assertThat(shown().at("/folders/drafts").has("d1")).as("it is undone").isFalse();
        sync.patch("\"cancel\":true");
    }

    @Test
    void nothingIsSentOrCopiedTwiceWhileWorkersAreKilled() {
        Tree moved = task(
                "move", "task: {handler: move, args: [m7, archive], contingency: true, backoff: {initialSeconds: 0}}");
        List<String> mails =
                IntStream.range(0, MAILS).mapToObj(i -> "mail-" + i).toList();
        space.kubectl()
                .apply(String.join("---\n", mails.stream().map("""
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: %1$s}
                spec:
                  workerPoolRef: {name: mail}
                  task: {handler: send, args: [%1$s], contingency: true}
                """::formatted).toList()));
        for (int kill = 0; kill < 2; kill++) {
            int before = shown().path("sent").size();
            await("one more that was sent", () -> {
                int sent = shown().path("sent").size();
                return sent > before || sent == MAILS;
            });
            space.kubectl()
                    .run("delete", "pod", "-l", "quiver.dev/pool=mail", "--grace-period=0", "--force", "--wait=false");
        }
        mails.forEach(
                mail -> assertThat(space.tree(mail).awaitFinished().state()).isEqualTo(TaskState.FINISHED));
        assertThat(shown().path("sent")).extracting(JsonNode::asText).containsExactlyInAnyOrderElementsOf(mails);
        assertThat(moved.awaitFinished().state()).isEqualTo(TaskState.FINISHED);
        await("the message that is gone", () -> !shown().at("/folders/inbox").has("m7"));
        assertThat(shown().at("/folders/archive").fieldNames()).toIterable().containsExactly("m7/0");
    }
}
