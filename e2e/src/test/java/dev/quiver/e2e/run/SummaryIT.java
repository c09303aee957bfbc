package dev.quiver.e2e.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.e2e.cluster.Repository;

/** The closing line of {@code e2e/run test}, on projects made for it. */
class SummaryIT {

    private static final String PASSED = "<testcase name=\"a\" classname=\"x.ATest\" time=\"0.1\"/>";

    @TempDir
    private Path project;

    @BeforeEach
    void twoModules() throws Exception {
        run("git", "init", "-q", project.toString());
        write("one/pom.xml", "");
        write("one/src/test/java/ATest.java", "");
        write("two/sub/pom.xml", "");
        write("two/sub/src/test/java/AnIT.java", "");
    }

    @Test
    void countsOverModulesAndLevelsAndNamesSkipsWithTheirReason() throws Exception {
        report("one", "surefire", 2, 0, 0, PASSED + PASSED);
        report(
                "two/sub",
                "failsafe",
                2,
                0,
                1,
                PASSED
                        + "<testcase name=\"b\" classname=\"x.AnIT\"><skipped message=\"missing: root &amp; &quot;nft&quot;\"/></testcase>");
        Result result = summary(0);
        assertThat(result.lines()).contains("SKIPPED x.AnIT.b: missing: root & \"nft\"");
        assertThat(result.lines()).last().isEqualTo("3 passed, 0 failed, 1 skipped");
        assertThat(result.exit()).isZero();
    }

    @Test
    void showsWhereTheTimeWentByModuleAndByClass() throws Exception {
        report("one", "surefire", 2, 0, 0, PASSED + PASSED);
        report("two/sub", "failsafe", 1, 0, 0, PASSED);
        assertThat(summary(0).lines())
                .contains(
                        "TIME        1 s in 2 tests of one",
                        "TIME        1 s in 1 tests of two/sub",
                        "SLOWEST     1 s x");
    }

    @Test
    void namesTheReasonOfASkipWhereItStandsInTheText() throws Exception {
        report("one", "surefire", 1, 0, 0, PASSED);
        report(
                "two/sub",
                "failsafe",
                1,
                0,
                1,
                "<testcase name=\"b\" classname=\"x.AnIT\"><skipped type=\"org.opentest4j.TestAbortedException\">"
                        + "<![CDATA[org.opentest4j.TestAbortedException: missing: a node to lose\n\tat x.AnIT.b(AnIT.java:1)\n]]>"
                        + "</skipped></testcase>");
        assertThat(summary(0).lines()).contains("SKIPPED x.AnIT.b: missing: a node to lose");
    }

    /** All that can be installed was installed before the tests: without it they show nothing, and must not look well. */
    @Test
    void countsASkipForWantOfAnInstalledPartAsFailed() throws Exception {
        report("one", "surefire", 1, 0, 0, PASSED);
        report(
                "two/sub",
                "failsafe",
                4,
                0,
                3,
                PASSED
                        + skipped("b", "redis-server is not installed: apt-get install redis-server")
                        + skipped("c", "missing: a cluster: nft (apt-get install nftables)")
                        + skipped("d", "missing: a node to lose"));
        Result result = summary(0);
        assertThat(result.lines())
                .anyMatch(line -> line.startsWith("FAILED  x.AnIT.b: redis-server is not installed"))
                .anyMatch(line -> line.startsWith("FAILED  x.AnIT.c: missing: a cluster: nft"))
                .noneMatch(line -> line.startsWith("FAILED  x.AnIT.d"));
        assertThat(result.lines()).last().isEqualTo("2 passed, 2 failed, 1 skipped");
        assertThat(result.exit()).isNotZero();
    }

    private static String skipped(String test, String reason) {
        return "<testcase name=\"%s\" classname=\"x.AnIT\"><skipped message=\"%s\"/></testcase>"
                .formatted(test, reason);
    }

    @Test
    void failsWhenATestFailed() throws Exception {
        report("one", "surefire", 1, 0, 0, PASSED);
        report(
                "two/sub",
                "failsafe",
                2,
                1,
                0,
                PASSED
                        + "<testcase name=\"c\" classname=\"x.AnIT\"><failure message=\"was 3\" type=\"E\">trace</failure></testcase>");
        Result result = summary(1);
        assertThat(result.lines()).contains("FAILED  x.AnIT.c: was 3");
        assertThat(result.lines()).last().isEqualTo("2 passed, 1 failed, 0 skipped");
        assertThat(result.exit()).isNotZero();
    }

    @Test
    void countsAModuleWhoseTestsDidNotRunAsFailed() throws Exception {
        report("one", "surefire", 1, 0, 0, PASSED);
        Result result = summary(0);
        assertThat(result.lines()).contains("FAILED  two/sub: its *IT and *E2E have not run");
        assertThat(result.lines()).last().isEqualTo("1 passed, 1 failed, 0 skipped");
        assertThat(result.exit()).isNotZero();
    }

    @Test
    void failsWhenTheBuildBrokeOutsideTheTests() throws Exception {
        report("one", "surefire", 1, 0, 0, PASSED);
        report("two/sub", "failsafe", 1, 0, 0, PASSED);
        Result result = summary(1);
        assertThat(result.lines()).last().isEqualTo("2 passed, 1 failed, 0 skipped");
        assertThat(result.exit()).isNotZero();
    }

    private record Result(int exit, List<String> lines) {}

    private Result summary(int mavenStatus) throws Exception {
        Process process = new ProcessBuilder(
                        "bash",
                        "-euo",
                        "pipefail",
                        "-c",
                        "root=$1; say() { echo \"$*\" >&2; }; . \"$2\"; summary \"$3\"",
                        "summary",
                        project.toString(),
                        Repository.root().resolve("e2e/lib/tests.sh").toString(),
                        Integer.toString(mavenStatus))
                .redirectErrorStream(true)
                .start();
        List<String> lines = process.inputReader().readAllLines();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return new Result(process.exitValue(), lines);
    }

    private void report(String module, String plugin, int tests, int failures, int skipped, String cases)
            throws IOException {
        write(
                module + "/target/" + plugin + "-reports/TEST-x.xml",
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
                        + " name=\"x\" time=\"1\" tests=\"%d\" errors=\"0\" skipped=\"%d\" failures=\"%d\">%s</testsuite>\n"
                                .formatted(tests, skipped, failures, cases));
    }

    private void write(String path, String text) throws IOException {
        Path file = project.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private static void run(String... words) throws Exception {
        Process process = new ProcessBuilder(words).inheritIO().start();
        assertThat(process.waitFor()).isZero();
    }
}
