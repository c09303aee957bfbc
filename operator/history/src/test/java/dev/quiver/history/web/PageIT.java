package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.logging.LogType;

import dev.quiver.history.rig.Client;
import dev.quiver.history.rig.FixedLive;
import dev.quiver.history.rig.Record;
import dev.quiver.history.rig.Runs;
import dev.quiver.history.rig.Trusting;
import dev.quiver.history.store.Packs;
import dev.quiver.lifecycle.history.PackBody;
import dev.quiver.lifecycle.history.PackPlace;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.Tails;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** The page in a real browser, over recorded runs. Pictures of it go to the folder {@code page.pictures}, if it is set. */
class PageIT extends PageInBrowser {

    @Test
    void aHistoryOnAnEmptyDirIsAnnounced() {
        open("/team-a", ".runs");
        present(".notice");
        assertThat(text(".notice")).contains("emptyDir");
    }

    @Test
    void eachViewIsAccessibleAndFitsEachWidthInBothThemes() throws Exception {
        String pictures = System.getProperty("page.pictures");
        Map<String, String> views = Map.ofEntries(
                Map.entry("runs", "/team-a"),
                Map.entry("huge", "/team-a/runs/huge"),
                Map.entry("failed", "/team-a/runs/night-5"),
                Map.entry("live", "/team-a/runs/live"),
                Map.entry("empty", "/team-a/runs/empty"),
                Map.entry("tree", "/team-a/runs/tree"),
                Map.entry("job", "/team-a/runs/job"),
                Map.entry("hour", "/team-a/runs/" + Runs.HOUR.replace(":", "%3A")),
                Map.entry("result", "/team-a/runs/results/tasks/0"),
                Map.entry("pending", "/team-a/runs/results/tasks/2"),
                Map.entry("task", "/team-a/runs/night-5/tasks/3"),
                Map.entry("worker", "/team-a/runs/night-5/workers/" + workerOf("night-5")),
                Map.entry("class", "/team-a/classes/nightly"),
                Map.entry("pool", "/team-a/pools/pool/" + T0 + "/" + (T0 + 60_000)),
                Map.entry("pool-now", "/team-a/pools/pool"),
                Map.entry("test", "/team-a/tests/nightly/spec%2Fsearch%2Fpart_3_spec.rb"),
                Map.entry("search", "/team-a/search/billing/night-5"),
                Map.entry("start", "/"));
        for (Map.Entry<String, String> view : views.entrySet()) {
            open(view.getValue(), "main[aria-busy=false] h1");
            if (view.getKey().equals("failed")) {
                present(".failures .output");
            }
            browser.executeScript("document.querySelectorAll('main details').forEach((it) => { it.open = true; })");
            for (String scheme : List.of("light", "dark")) {
                theme(scheme);
                for (int width : new int[] {400, 1280, 2500}) {
                    wide(width);
                    Number wide = (Number) browser.executeScript("return document.documentElement.scrollWidth");
                    assertThat(wide.intValue()).as("%s at %d", view, width).isLessThanOrEqualTo(width);
                    assertThat(cutOff()).as("%s at %d", view, width).isEmpty();
                    if (pictures != null) {
                        browser.executeAsyncScript(
                                "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done));");
                        Files.write(
                                Path.of(pictures, view.getKey() + "-" + width + "-" + scheme + ".png"),
                                browser.getScreenshotAs(OutputType.BYTES));
                    }
                }
                assertThat(violations()).as("%s, %s", view, scheme).isEmpty();
            }
        }
    }

    private String workerOf(String run) throws Exception {
        try (Client client = new Client(server.address())) {
            return client.json(
                            200,
                            "/v1/namespaces/{namespace}/runs/{run}/workers",
                            "/v1/namespaces/team-a/runs/" + run + "/workers")
                    .get("items")
                    .get(0)
                    .get("id")
                    .asText();
        }
    }

    @Test
    void aHugeRunIsDrawnAndMovedThroughByKeys() {
        wide(1200);
        open("/team-a/runs/huge", "canvas[data-drawn]");
        assertThat(text(".heading p")).contains("100,000 trials on 128 slots");
        var canvas = browser.findElement(By.id("timeline"));
        canvas.sendKeys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT);
        await().atMost(SOON).until(() -> text(".readout").contains("on pod-worker-0 slot 0"));
        canvas.sendKeys("+", "+");
        await().atMost(SOON).until(() -> text(".heading p").contains("in view"));
        canvas.sendKeys("0");
        await().atMost(SOON).until(() -> !text(".heading p").contains("in view"));
        canvas.sendKeys(Keys.ENTER);
        present(".trial");
        assertThat(browser.getCurrentUrl()).contains("/tasks/");
    }

    @Test
    void aRunLeadsToWhatItsPoolDidMeanwhile() {
        wide(1200);
        open("/team-a/runs/night-0", "canvas[data-drawn]");
        browser.findElement(By.linkText("pool")).click();
        await().atMost(SOON).ignoreExceptions().until(() -> text("h1").equals("pool"));
        drawn();
        assertThat(browser.findElements(By.cssSelector("main th[scope=row] a")))
                .extracting(WebElement::getText)
                .contains("specs", "browsers", "squares", "results", Runs.HOSTILE.replace("\u202e", "\\u202e"));
        browser.findElement(By.cssSelector("details summary")).click();
        assertThat(text("details table")).contains("pod-worker-0");
        var canvas = browser.findElement(By.id("timeline"));
        canvas.sendKeys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT);
        await().atMost(SOON)
                .until(() -> text(".readout").matches(".* of specs, .* at \\d\\d:\\d\\d:\\d\\d, on pod-.*"));
        canvas.sendKeys(Keys.ENTER);
        present(".trial");
        assertThat(browser.getCurrentUrl()).contains("/runs/night-0/tasks/");
        open("/team-a/pools/pool", "main[aria-busy=false] h1");
        assertThat(text("main")).contains("1 trial on 1 slot", "results");
        open("/team-a/pools/other", "main[aria-busy=false] h1");
        assertThat(text("main")).contains("No trial of a run is recorded in this time.");
    }

    @Test
    void hostileTextsStayTexts() {
        open("/team-a/runs/hostile", ".failures summary");
        assertThat(text("h1"))
                .contains("<script>document.title='owned'</script>")
                .contains("\\u202e");
        assertThat(text("body")).doesNotContain("\u202e", "\u202d");
        assertThat(browser.getTitle()).doesNotContain("\u202e");
        present(".failures .output");
        assertThat(text(".failures .output"))
                .contains("<img src=x onerror=")
                .contains("red")
                .doesNotContain("[31m");
        open("/team-a/runs/hostile/tasks/0", ".trial .output");
        open("/team-a/search/script/hostile", "main .plain");
        open("/team-a", ".runs");
        assertThat(browser.findElements(By.cssSelector("main img, main script")))
                .isEmpty();
        Object refused = browser.executeScript(
                "try { document.body.innerHTML = '<b>x</b>'; return 'taken'; } catch (e) { return e.name; }");
        assertThat(refused).isEqualTo("TypeError");
        browser.manage().logs().get(LogType.BROWSER);
    }

    @Test
    void aTokenOfALinkIsTakenOnlyOnceSomebodyHasAgreed() {
        String claims = "{\"sub\":\"system:serviceaccount:elsewhere:quiver-reader\"}";
        String foreign =
                "e30." + Base64.getUrlEncoder().withoutPadding().encodeToString(claims.getBytes(StandardCharsets.UTF_8))
                        + ".c2ln";
        browser.get("http://127.0.0.1:" + server.address().getPort() + "/?" + ++opened + "#token=" + foreign);
        awaitText(".offer", "account quiver-reader in namespace elsewhere");
        assertThat(browser.getCurrentUrl()).doesNotContain(foreign);
        browser.findElement(By.cssSelector(".offer [name=leave]")).click();
        browser.executeScript("sessionStorage.clear()");
        browser.get("http://127.0.0.1:" + server.address().getPort() + "/?" + ++opened + "#/team-a");
        awaitText("dialog", "A token is needed");
        browser.findElement(By.cssSelector("dialog input")).sendKeys(Trusting.TOKEN, Keys.ENTER);
        present(".runs");

        browser.executeScript("location.hash = 'token=nonsense'");
        awaitText(".offer", "nobody that this page can name");
        browser.findElement(By.cssSelector(".offer [name=leave]")).click();
        browser.executeScript("location.hash = '/team-a'");
        present(".runs");
        browser.manage().logs().get(LogType.BROWSER); // the refusal
    }

    @Test
    void allThatATrialPrintedIsSavedOnceItHasCome() throws Exception {
        Record other = new Record(database, Keyspace.ofNamespace("team-b"));
        other.opened("printed", "specs", T0, 1)
                .step(
                        "printed",
                        "s1",
                        1,
                        T0,
                        new StepRows()
                                .trial(TrialRow.of(0, 1, 0, TrialStatus.FAILED, 0, 200)
                                        .kept(new TrialRow.Streams(
                                                Optional.of(new PackPlace("s1/1", 0, 5)), Optional.empty()))))
                .write();
        open("/team-b/runs/printed/tasks/0", ".trial button");
        assertThat(text(".trial"))
                .contains("Save all of stdout, 5 bytes", "was lost")
                .doesNotContain("all of stderr");
        browser.findElement(By.cssSelector(".trial button")).click();
        await().atMost(SOON).until(() -> text(".trial [role=status]").contains("the output is lost: its worker ended"));
        byte[] body = new PackBody()
                .add(ResultFormat.BYTES, new byte[] {'w', 'o', 'r', 'd', 's'})
                .encode();
        new Packs(database, Long.MAX_VALUE, Clock.systemUTC())
                .store(other.keyspace(), "printed", "s1", 1, PackBody.read(body));
        browser.findElement(By.cssSelector(".trial button")).click();
        await().atMost(SOON)
                .until(() ->
                        (Boolean) browser.executeScript("return performance.getEntriesByType('resource').some((it) =>"
                                + " it.name.includes('/stdout?copy=0&full=true') && it.responseStatus === 200)"));
        assertThat(text(".trial [role=status]")).isEmpty();
        browser.manage().logs().get(LogType.BROWSER);
    }

    @Test
    void theFirstLoadTakesLessThan100Kilobytes() {
        open("/team-a", ".runs");
        Number bytes = (Number)
                browser.executeScript(
                        "return performance.getEntriesByType('resource')"
                                + ".concat(performance.getEntriesByType('navigation'))"
                                + ".filter((each) => !each.name.includes('/v1/')).reduce((sum, each) => sum + each.decodedBodySize, 0)");
        assertThat(bytes.longValue()).isBetween(20_000L, 100_000L);
    }

    @Test
    void runsAreFoundComparedAndWalkedThrough() {
        wide(1200);
        open("/team-a/runs/night-5", ".tabs");
        assertThat(text(".tabs")).contains("newly failed 13", "still failed 0");
        browser.findElement(By.cssSelector(".log summary")).click();
        awaitText(".log", "accepted: TaskSet specs, 400 tasks");
        open("/team-a/runs/tree", ".tree .tree summary");
        assertThat(text(".tree .tree")).contains("fetch").doesNotContain("part one");
        assertThat(text(".facts")).doesNotContain("Started\n–");
        browser.findElement(By.cssSelector(".tree .tree summary")).click();
        awaitText(".tree .tree .tree", "part one");
        assertThat(text(".tree .tree .tree")).contains("succeeded part one", "failed part two");
        assertThat(browser.findElements(By.cssSelector(".tree .tree .tree a")))
                .extracting(link -> link.getDomAttribute("href"))
                .containsExactly("#/team-a/runs/tree/tasks/3", "#/team-a/runs/tree/tasks/4");
        browser.findElement(By.cssSelector("input[type=search]")).sendKeys("specs", Keys.ENTER);
        await().atMost(SOON).until(() -> browser.getCurrentUrl().contains("search/specs"));
    }

    @Test
    void aJobHasItsPhasesAndTheirTasks() {
        wide(1200);
        open("/team-a/runs/job", "canvas[data-drawn]");
        assertThat(text("h1")).isEqualTo("squares");
        assertThat(browser.findElements(By.cssSelector("h2")))
                .extracting(WebElement::getText)
                .contains("Phases");
        awaitText(".tree .tree", "reduce");
        assertThat(text(".tree .tree"))
                .contains("succeeded map", "succeeded chunks", "chunks · 4")
                .doesNotContain("open");
        awaitText(".result", "{\"sum\":30}");
        assertThat(text(".result h2")).contains("reduce");
        assertThat(text(".facts")).contains("6 of 6");
    }

    @Test
    void aTrialShowsTheCasesOfItsReport() throws Exception {
        TrialRow.Case bad = new TrialRow.Case("a.<b>bad</b>", TrialStatus.FAILED, 1500, "1 is not 2");
        Record other = new Record(database, Keyspace.ofNamespace("team-b"));
        other.opened("reported", "reported", T0, 1)
                .step(
                        "reported",
                        "s1",
                        1,
                        T0,
                        new StepRows()
                                .trial(TrialRow.of(0, 1, 0, TrialStatus.FAILED, 0, 200)
                                        .reported(new TrialRow.Counts(7, 2, 1), List.of(bad))))
                .write();
        open("/team-b/runs/reported/tasks/0", ".trial table");
        assertThat(text(".trial"))
                .contains(
                        "Report: 7 passed, 1 failed, 2 skipped.", "a.<b>bad</b>", "1 is not 2", "2 more are not kept.");
    }

    @Test
    void aResultIsShownOrSavedWithItsSizeAndState(@TempDir Path folder) throws Exception {
        browser.executeCdpCommand(
                "Browser.setDownloadBehavior", Map.of("behavior", "allow", "downloadPath", folder.toString()));
        open("/team-a/runs/results/tasks/0", ".trial .output");
        assertThat(text(".trial")).contains("Result", "{\"rows\":[1,2,3]}");
        open("/team-a/runs/results/tasks/1", ".trial .dim");
        assertThat(text(".trial")).contains("Its result of 98 KiB is lost");
        open("/team-a/runs/results/tasks/2", ".trial .dim");
        assertThat(text(".trial")).contains("Its result of 98 KiB is on its way");
        open("/team-a/runs/results/tasks/3", ".trial .dim");
        assertThat(text(".trial")).contains("Its result of 1.0 MiB was too large to be kept");
        byte[] large = ("\"" + "x".repeat(Runs.PACKED - 2) + "\"").getBytes(StandardCharsets.UTF_8);
        byte[] body = new PackBody().add(ResultFormat.JSON, large).encode();
        Packs packs = new Packs(database, Long.MAX_VALUE, Clock.systemUTC());
        packs.store(record.keyspace(), "results", "worker-1", 1, PackBody.read(body));
        packs.store(record.keyspace(), "results", "worker-1", 2, PackBody.read(body));
        open("/team-a/runs/results/tasks/1", ".trial a.file");
        assertThat(text(".trial a.file")).isEqualTo("98 KiB");
        browser.findElement(By.cssSelector(".trial a.file")).click();
        Path file = folder.resolve("result-1-1.json");
        await().atMost(SOON).until(() -> Files.exists(file) && Files.size(file) == Runs.PACKED);
        open("/team-a/runs/results", ".exports");
        browser.findElement(By.cssSelector(".exports a")).click();
        Path junit = folder.resolve("junit.xml");
        await("the token goes along").atMost(SOON).until(() -> Files.exists(junit) && Files.size(junit) > 0);
        assertThat(Files.readString(junit)).contains("<testsuite");
    }

    @Test
    void aLiveRunOfAClassHasTheTimeLeftByEarlierRuns() {
        open("/team-a/runs/live", "canvas[data-drawn]");
        assertThat(text(".facts")).contains("Left, at this pace", "Left, by earlier runs");
    }

    @Test
    void aClassShowsItsSlowestAndItsFlakyTests() {
        open("/team-a/classes/browsers", "tbody th");
        assertThat(browser.findElements(By.cssSelector("tbody th")))
                .extracting(WebElement::getText)
                .as("what never passed has no usual time")
                .startsWith("scrolls", "opens");
        browser.findElements(By.cssSelector(".title button")).get(1).click();
        await().atMost(SOON)
                .until(() -> browser.findElements(By.cssSelector("tbody tr")).size() == 1);
        assertThat(text("tbody tr")).contains("scrolls").endsWith(" 2 0 2");
        browser.findElement(By.cssSelector("tbody a")).click();
        present("svg.spark");
        assertThat(text("main")).contains("2 runs of browsers; in 2 a trial did not pass");
    }

    /** The figures come by the stream of events: nobody loads the page again. */
    @Test
    void aRunThatGoesOnIsFollowedToItsEnd() throws Exception {
        record.opened("now", "now", T0, 4).write();
        open("/team-a/runs/now", ".facts");
        Object loaded = browser.executeScript("return window.loadedOnce = performance.timeOrigin");
        assertThat(text(".facts")).contains("0 of 4");
        assertThat(text("main")).contains("No trial is recorded yet.");
        record.step(
                        "now",
                        "worker-1",
                        1,
                        T0 + 2000,
                        new StepRows().pass(0, 0, 0, 90).pass(1, 1, 0, 90))
                .write();
        awaitText(".facts", "2 of 4");
        present("canvas[data-drawn]");
        assertThat(text(".title")).contains("running");
        record.step(
                        "now",
                        "worker-1",
                        2,
                        T0 + 4000,
                        new StepRows().pass(2, 0, 0, 90).pass(3, 1, 0, 90))
                .ended("now", RunEnd.Status.SUCCEEDED, T0 + 4000, 4, 0, 4)
                .write();
        awaitText(".title", "succeeded");
        awaitText(".facts", "4 of 4");
        assertThat(browser.findElements(By.cssSelector(".live"))).isEmpty();
        assertThat(browser.executeScript("return window.loadedOnce")).isEqualTo(loaded);
    }

    @Test
    void aRunningRunHasItsLiveFiguresBesideTheRecordedOnesAndItsWorkers() throws Exception {
        FixedLive live = new FixedLive();
        try (ApiServer its = listen(0, live)) {
            open(its, "/team-a/runs/live", ".roster table");
            assertThat(text(".facts")).contains("1,510 of 2,250", "Running", "737", "1,500 recorded");
            assertThat(text(".facts")).contains("Left, by earlier runs").containsPattern("usually off by up to \\d+ %");
            assertThat(text(".roster")).contains("worker-pod-1", "2 of 8", "spec/billing/part_7_spec.rb", "waits");
            assertThat(violations()).isEmpty();
            wide(400);
            Number wide = (Number) browser.executeScript("return document.documentElement.scrollWidth");
            assertThat(wide.intValue()).isLessThanOrEqualTo(400);
            open(its, "/team-a/runs/" + Runs.HOUR.replace(":", "%3A"), "canvas[data-drawn]");
            assertThat(text("h1")).startsWith("shared-2026-05-28T");
            assertThat(browser.findElements(By.cssSelector(".roster")))
                    .as("nobody counts who has tasks of an hour")
                    .isEmpty();
            open(its, "/team-a/runs/live", ".roster table");
            live.goAway();
            awaitText("main", "these are the record's");
            assertThat(browser.findElements(By.cssSelector(".roster"))).isEmpty();
            open(server, "/team-a", ".runs");
        }
        browser.manage().logs().get(LogType.BROWSER); // each refused request is a complaint there
    }

    @Test
    void figuresOfAHistoryThatIsAwayAreShownWithTheirTime() throws Exception {
        ApiServer other = listen(0);
        int port = other.address().getPort();
        try {
            open(other, "/team-a/runs/live", "canvas[data-drawn]");
            present("main[aria-busy=false]"); // all of it is there, so the page knows from when
        } finally {
            other.close();
        }
        present("[role=alert]");
        assertThat(text("[role=alert]")).contains("History does not answer", "These figures are from");
        assertThat(text("h1")).isEqualTo("specs-now");
        try (ApiServer again = listen(port)) {
            await().atMost(SOON)
                    .until(() ->
                            browser.findElements(By.cssSelector("[role=alert]")).isEmpty());
            assertThat(again.address().getPort()).isEqualTo(port);
            open("/team-a", ".runs");
        }
        browser.manage().logs().get(LogType.BROWSER); // each request to nobody is a complaint there
    }

    /** The picture at the top of README: what failed, and how the slots worked, without scrolling. */
    @Test
    void aRunThatFailedIsSeenWholeOnTheScreenOfALaptop() throws Exception {
        readme();
        open("/team-a/runs/readme", ".failures .output");
        browser.findElement(By.cssSelector(".notice button")).click();
        browser.findElement(By.cssSelector(".failures summary")).click();
        theme("dark");
        wide(1280, 800);
        drawn();
        assertThat(text(".facts")).contains("400 of 400", "408");
        Number bottom = (Number)
                browser.executeScript("return document.querySelector('.legend').getBoundingClientRect().bottom");
        assertThat(bottom.intValue()).isLessThan(800);
        assertThat(text(".legend")).contains("passed 399", "failed 9");
        String pictures = System.getProperty("page.pictures");
        if (pictures != null) {
            Files.write(Path.of(pictures, "page.png"), browser.getScreenshotAs(OutputType.BYTES));
        }
        browser.executeScript("localStorage.clear()");
    }

    /** 400 tasks on the slots of three workers: nine trials fail, eight of them are repeated and pass. */
    private void readme() throws Exception {
        List<String> names = IntStream.range(0, 400)
                .mapToObj(task -> "spec/models/part_" + task + "_spec.rb")
                .toList();
        record.opened(
                        "readme",
                        T0 + 200,
                        RunOpening.of(RunKind.TASK_SET, "specs", T0 + 200, 400)
                                .in("specs", "readme")
                                .on("pool"))
                .named("readme", "readme", names);
        Random random = new Random(5);
        long[] free = new long[24];
        for (int worker = 0; worker < 3; worker++) {
            record.joined("readme-" + worker, T0).prepared("readme", "readme-" + worker, T0 + 900, new byte[0]);
            Arrays.fill(free, worker * 8, worker * 8 + 8, T0 + 1000 + worker * 900L);
        }
        int calls = 0;
        for (int task = 0; task < 400; task++) {
            boolean fails = task % 45 == 8;
            for (int trial = 1; trial <= (fails && task != 368 ? 2 : 1); trial++) {
                int slot = IntStream.range(0, 24)
                        .boxed()
                        .min(Comparator.comparingLong(each -> free[each]))
                        .orElseThrow();
                long took = 150 + (long) (900 * Math.abs(random.nextGaussian()));
                free[slot] += took + 15;
                boolean red = fails && trial == 1;
                TrialRow row =
                        TrialRow.of(task, trial, slot % 8, red ? TrialStatus.FAILED : TrialStatus.PASSED, 0, took);
                record.step(
                        "readme",
                        "readme-" + slot / 8,
                        ++calls,
                        free[slot],
                        new StepRows()
                                .trial(
                                        red
                                                ? row.because(
                                                                Optional.of(1),
                                                                Optional.empty(),
                                                                "NonZeroExit",
                                                                "expected 3 but was 4")
                                                        .printed(
                                                                Tails.pack(
                                                                        "1 example, 1 failure\n"
                                                                                .getBytes(StandardCharsets.UTF_8),
                                                                        4096),
                                                                new byte[0],
                                                                4096)
                                                : row),
                        red && task != 368 ? "t" : "c");
            }
        }
        record.ended("readme", RunEnd.Status.FAILED, Arrays.stream(free).max().orElseThrow(), 400, 1, 408)
                .write();
    }
}
