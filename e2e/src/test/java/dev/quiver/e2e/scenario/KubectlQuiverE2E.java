package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.e2e.cluster.Command;
import dev.quiver.e2e.cluster.Repository;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Kubectl;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;

/**
 * {@code kubectl quiver} as a person has it. It is one file in the path, called by kubectl, with a token of an account
 * that has the built-in role edit, view or none.
 */
@Scenario
class KubectlQuiverE2E {

    private static final Duration LONGEST = Duration.ofMinutes(5);

    /** The place in a file that leads a browser to the page. */
    private static final Pattern LED = Pattern.compile("url=(?<address>.*)#token=(?<token>.*)&at=(?<place>.*)\"");

    /** The exit code after SIGTERM, which ends it as Ctrl-C does. */
    private static final int TERMINATED = 128 + 15;

    @TempDir
    private Path folder;

    private Space space;
    private Installation quiver;

    @BeforeEach
    void make(Space space, Installation quiver) {
        this.space = space;
        this.quiver = quiver;
        Command.of(
                        Repository.root()
                                .resolve("worker-image/sdk/python/build-plugin")
                                .toString(),
                        folder.resolve("bin/kubectl-quiver").toString())
                .run();
    }

    @AfterEach
    void closeTheWay() {
        String roles = "role,rolebinding";
        quiver.kubectl().run("delete", roles, readers(), forwarders(), "--ignore-not-found");
    }

    @Test
    void aRunIsStartedFollowedAndReadByWhoMayEditAndReadByWhoMayView() throws IOException {
        space.readyPool("shared", 1, 2);
        String editor = caller("editor", "edit");
        String viewer = caller("viewer", "view");
        String nobody = caller("nobody", null);
        Files.writeString(folder.resolve("run.yaml"), """
                apiVersion: quiver.dev/v1alpha1
                kind: TaskSet
                metadata: {name: nightly}
                spec:
                  replicas: 1
                  maxTrials: 2
                  workerPoolRef: {name: shared}
                  source: {items: [{name: good}, {name: bad}]}
                  task:
                    command:
                      - sh
                      - -c
                      - |
                        echo out of $QUIVER_TASK
                        [ $QUIVER_TASK = good ] || fault='<failure message="1 is not 2"/>'
                        echo "<testsuite><testcase name='adds'>$fault</testcase></testsuite>" > $QUIVER_OUTPUT
                        [ $QUIVER_TASK = good ] || { echo broke >&2; exit 7; }
                    result: {format: JUnit}
                """);

        String refused = plugin(viewer, "tasks nightly");
        assertThat(refused).contains("history.readers", "exit 3");
        openTheWay("editor", "viewer");

        String followed = plugin(editor, "run -f run.yaml --timeout 4m --junit report.xml");
        assertThat(followed)
                .contains("tset/nightly: TasksFailed, 2/2", "bad, trial", "NonZeroExit, exit code 7", "exit 1");
        assertThat(Files.readString(folder.resolve("report.xml")))
                .contains("tests=\"3\"", "failures=\"2\"", "name=\"adds\"");
        assertThat(plugin(editor, "run -f run.yaml")).contains("is there and finished", "exit 3");

        assertThat(plugin(viewer, "status nightly"))
                .contains("TaskSet " + space.name() + "/nightly: TasksFailed", "exit 0");
        assertThat(plugin(viewer, "status")).contains("tset/nightly", "wpool/shared", "exit 0");
        assertThat(plugin(viewer, "tasks nightly --status failed -o ndjson")).contains("\"name\": \"bad\"", "exit 0");
        assertThat(plugin(viewer, "failures nightly"))
                .contains("nightly: 1 failed: 1 NonZeroExit", "  ✗ adds: 1 is not 2", "    broke", "exit 0");
        assertThat(plugin(viewer, "logs nightly bad --trial 1")).contains("out of bad", "broke", "exit 0");
        assertThat(plugin(viewer, "logs nightly"))
                .contains(
                        "accepted: TaskSet nightly, 2 tasks",
                        "bad, trial 2",
                        "exit code 7",
                        "; the task failed",
                        "exit 0");
        assertThat(plugin(viewer, "results nightly -o csv")).contains("bad", "NonZeroExit", "exit 0");
        assertThat(plugin(viewer, "wait nightly")).contains("exit 1");
        assertThat(plugin(viewer, "version")).contains("kubernetes", "exit 0");
        assertThat(plugin(viewer, "suspend nightly")).contains("the rights are not enough", "exit 3");
        for (String verb : new String[] {"status", "status nightly", "wait nightly"}) {
            assertThat(plugin(nobody, verb)).contains("the rights are not enough", "exit 3");
        }
        assertThat(plugin(nobody, "tasks nightly")).contains("history.readers", "is forbidden", "exit 3");
    }

    @Test
    void aRunningTaskIsFollowedSuspendedAndCancelled() {
        space.readyPool("shared", 1, 2);
        String editor = caller("editor", "edit");
        openTheWay("editor");
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: TaskSet
                metadata: {name: slow}
                spec:
                  replicas: 1
                  workerPoolRef: {name: shared}
                  source: {items: [{name: talker}]}
                  task: {command: [sh, -c, 'for i in 1 2 3 4 5 6 7 8; do echo line $i; sleep 1; done; sleep 600']}
                """);

        String lines = plugin(editor, "logs slow talker -f & sleep 25; kill $!; wait $!");
        assertThat(lines).contains("line 1\n", "line 8\n").doesNotContain("[talker]");
        assertThat(plugin(editor, "status slow")).contains("1 running", "exit 0");
        assertThat(plugin(editor, "suspend slow")).contains("tset/slow suspended", "exit 0");
        assertThat(plugin(editor, "resume slow")).contains("tset/slow resumed", "exit 0");
        assertThat(plugin(editor, "cancel slow")).contains("tset/slow cancelled", "exit 0");
        assertThat(plugin(editor, "wait slow --timeout 2m")).contains("Cancelled", "exit 2");
        String pod = space.pods().getFirst().getMetadata().getName();
        assertThat(plugin(editor, "drain " + pod)).contains("pod/" + pod + " drains", "exit 0");
    }

    /** The browser is a script that writes down where it is led. The answers of the page there are real. */
    @Test
    void thePageOfARunIsOpenedForWhoMayForwardAPort() throws Exception {
        space.readyPool("shared", 1, 2);
        String viewer = caller("viewer", "view");
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: TaskSet
                metadata: {name: shown}
                spec:
                  replicas: 1
                  workerPoolRef: {name: shared}
                  source: {count: 2}
                  task: {command: ["true"]}
                """);
        space.kubectl().run("wait", "--for=condition=Succeeded", "--timeout=5m", "tset/shown");
        assertThat(plugin(viewer, "open shown --no-browser"))
                .contains("kubectl port-forward: ", "pods \"quiver-history-0\" is forbidden", "exit 3");
        mayForward("viewer");

        Path seen = folder.resolve("seen");
        Path browser = folder.resolve("browser");
        Files.writeString(browser, "#!/bin/sh\ncp \"${1#file://}\" %1$s.new && mv %1$s.new %1$s\n".formatted(seen));
        assertThat(browser.toFile().setExecutable(true)).isTrue();
        Path files = Files.createDirectory(folder.resolve("tmp"));
        ProcessBuilder open = new ProcessBuilder(Repository.built("kubectl").toString(), "quiver", "open", "shown")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("said").toFile())
                .directory(folder.toFile());
        open.environment()
                .putAll(Map.of(
                        "PATH",
                        path(),
                        "KUBECONFIG",
                        viewer,
                        "BROWSER",
                        browser.toString(),
                        "TMPDIR",
                        files.toString()));
        Process plugin = open.start();
        URI address;
        try {
            await("a browser is started").atMost(LONGEST).until(() -> Files.exists(seen) || !plugin.isAlive());
            Matcher led = LED.matcher(Files.exists(seen) ? Files.readString(seen) : "");
            assertThat(led.find()).as(Files.readString(folder.resolve("said"))).isTrue();
            address = URI.create(led.group("address"));
            assertThat(led.group("place")).isEqualTo("/" + space.name() + "/runs/shown");
            assertThat(get(address, "").body()).contains("<title>Quiver</title>");
            URI run = address.resolve("v1/namespaces/" + space.name() + "/runs/shown");
            await("the end of the run is on record")
                    .atMost(LONGEST)
                    .until(() -> get(run, led.group("token")).body().contains("\"status\":\"succeeded\""));
            assertThat(get(run, "").statusCode()).isEqualTo(HttpURLConnection.HTTP_UNAUTHORIZED);
            URI other = address.resolve("v1/namespaces/quiver-system/runs");
            assertThat(get(other, led.group("token")).statusCode()).isEqualTo(HttpURLConnection.HTTP_FORBIDDEN);
        } finally {
            plugin.destroy();
        }
        assertThat(plugin.waitFor()).isEqualTo(TERMINATED);
        assertThat(files).isEmptyDirectory();
        assertThatThrownBy(() -> get(address, "")).isInstanceOf(ConnectException.class);
    }

    private static HttpResponse<String> get(URI address, String token) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(address);
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    /** Binds what the chart gives to nobody: a forwarded port to the pod of the record. */
    private void mayForward(String name) {
        Kubectl kubectl = quiver.kubectl();
        String role = forwarders();
        kubectl.run(
                "create",
                "role",
                role,
                "--verb=get,create",
                "--resource=pods,pods/portforward",
                "--resource-name=quiver-history-0");
        kubectl.run("create", "rolebinding", role, "--role=" + role, "--serviceaccount=" + account(name));
    }

    /** Makes an account with a built-in role, and answers the kubeconfig of its token. */
    private String caller(String name, String role) {
        Kubectl kubectl = space.kubectl();
        kubectl.run("create", "serviceaccount", name);
        if (role != null) {
            kubectl.run("create", "rolebinding", name, "--clusterrole=" + role, "--serviceaccount=" + account(name));
        }
        String token = kubectl.run("create", "token", name).strip();
        Path file = folder.resolve(name);
        String config = "%s --kubeconfig=%s config ".formatted(Repository.built("kubectl"), file);
        Command.of("sh", "-ec", """
                cp '%s' '%s'
                %s set-credentials %s --token=%s
                %s set-context --current --user=%s --namespace=%s
                """.formatted(
                                quiver.cluster().kubeconfig(), file, config, name, token, config, name, space.name()))
                .run();
        return file.toString();
    }

    /** Binds what the chart's history.readers binds. */
    private void openTheWay(String... names) {
        Kubectl kubectl = quiver.kubectl();
        String proxy = "--resource-name=https:quiver-history:8443";
        kubectl.run("create", "role", readers(), "--verb=get", "--resource=services/proxy", proxy);
        String[] binding = new String[4 + names.length];
        binding[0] = "create";
        binding[1] = "rolebinding";
        binding[2] = readers();
        binding[3] = "--role=" + readers();
        for (int i = 0; i < names.length; i++) {
            binding[4 + i] = "--serviceaccount=" + account(names[i]);
        }
        kubectl.run(binding);
    }

    /** The name of this test's own role: others run beside it. */
    private String readers() {
        return "readers-of-" + space.name();
    }

    private String forwarders() {
        return "forwarders-of-" + space.name();
    }

    private String account(String name) {
        return space.name() + ":" + name;
    }

    private String path() {
        return folder.resolve("bin") + ":" + Repository.built("kubectl").getParent() + ":" + System.getenv("PATH");
    }

    /** The output of the plugin, both streams, and its exit code in a last line. */
    private String plugin(String kubeconfig, String words) {
        return Command.of(
                        "env",
                        "--chdir=" + folder,
                        "PATH=" + path(),
                        "KUBECONFIG=" + kubeconfig,
                        "sh",
                        "-c",
                        "exec 2>&1; kubectl quiver " + words + "; echo \"exit $?\"")
                .within(LONGEST)
                .run();
    }
}
