package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.logging.LogType;

import dev.quiver.history.rig.FixedLive;
import dev.quiver.history.rig.Record;
import dev.quiver.history.rig.Trusting;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.StepRows;

/** How a person goes on from what the page shows: failures, tasks, addresses, commands. */
class PageUseIT extends PageInBrowser {

    @Test
    void aFailedRunShowsItsFailuresFirstByKindAndTheFirstOneIsOpen() {
        wide(1280);
        open("/team-a/runs/night-5", ".failures .output");
        assertThat(browser.findElements(By.cssSelector(".failures summary")))
                .extracting(WebElement::getText)
                .hasSize(3)
                .anyMatch(words -> words.contains("NonZeroExit") && words.contains("no rounding rule"))
                .anyMatch(words -> words.contains("NonZeroExit") && words.contains("the program ended with 1"));
        assertThat(browser.findElements(By.cssSelector(".failures details[open]")))
                .hasSize(1);
        assertThat(browser.findElements(By.cssSelector(".failures .columns a")))
                .extracting(WebElement::getText)
                .hasSize(6)
                .contains("spec/search/part_3_spec.rb");
        assertThat(browser.findElements(By.cssSelector("main h2")))
                .extracting(WebElement::getText)
                .first()
                .asString()
                .startsWith("Failures");
        for (String act : List.of(".failures .output", ".commands button")) {
            Number bottom = (Number) browser.executeScript(
                    "return document.querySelector(arguments[0]).getBoundingClientRect().bottom", act);
            assertThat(bottom.intValue()).as(act).isLessThan(800);
        }
        browser.findElement(By.cssSelector(".failures summary")).click();
        open("/team-a/runs/night-0", ".failures");
        assertThat(browser.findElements(By.cssSelector(".commands")))
                .as("a run that succeeded needs no act")
                .isEmpty();
    }

    @Test
    void backLeadsToTheFiltersAndThePartOfTheTimeThatOneHadSeen() {
        wide(1280);
        open("/team-a", ".runs");
        int all = browser.findElements(By.cssSelector(".runs tbody tr")).size();
        browser.findElement(By.cssSelector(".filters label:nth-child(2) select"))
                .sendKeys("failed");
        await().atMost(SOON)
                .until(() -> browser.getCurrentUrl().endsWith("?state=failed")
                        && browser.findElements(By.cssSelector(".runs tbody tr"))
                                        .size()
                                < all);
        browser.findElement(By.linkText("browsers")).click();
        drawn();
        browser.navigate().back();
        await().atMost(SOON)
                .ignoreExceptions()
                .until(() -> browser.findElements(By.cssSelector(".runs tbody tr")).stream()
                        .allMatch(row -> row.getText().contains("failed")));
        open("/team-a/runs/night-5", "canvas[data-drawn]");
        browser.findElement(By.id("timeline")).sendKeys(Keys.ARROW_RIGHT, "+");
        await().atMost(SOON).until(() -> text(".heading p").contains("in view") || inView());
        String zoomed = browser.getCurrentUrl();
        assertThat(zoomed).contains("from=", "to=");
        browser.findElement(By.cssSelector(".tasks tbody a")).click();
        present(".trial");
        browser.navigate().back();
        drawn();
        await().atMost(SOON).until(this::inView);
        assertThat(browser.getCurrentUrl()).isEqualTo(zoomed);
    }

    @Test
    void aLinkWithATokenGoesOnToItsViewOnceSomebodyHasAgreed() {
        browser.get("http://127.0.0.1:" + server.address().getPort() + "/?" + ++opened + "#token=" + Trusting.TOKEN
                + "&at=/team-a/runs/night-5");
        present(".offer");
        assertThat(browser.getCurrentUrl()).endsWith("#/team-a/runs/night-5");
        browser.findElement(By.cssSelector(".offer [name=use]")).click();
        awaitText("h1", "specs");
    }

    @Test
    void aWorkerHasAPageWithItsTrialsAlone() {
        wide(1280);
        open("/team-a/runs/night-5", "section table a[href*='/workers/']");
        List<WebElement> links = browser.findElements(By.cssSelector("section table a[href*='/workers/']"));
        int workers = links.size();
        assertThat(workers).isGreaterThan(1);
        String pod = links.getFirst().getText();
        String all = text(".heading p");
        links.getFirst().click();
        awaitText("h1", pod);
        drawn();
        assertThat(text(".heading p")).isNotEqualTo(all).contains("on ");
        assertThat(browser.findElements(By.cssSelector(".facts dt")))
                .extracting(WebElement::getText)
                .contains("Slots", "passed");
        List<WebElement> longest = browser.findElements(By.cssSelector("[aria-label='Longest trials'] tbody tr"));
        assertThat(longest).hasSizeBetween(1, 10);
        assertThat(longest.getFirst().findElement(By.tagName("th")).getText()).contains("spec/");
        longest.getFirst().findElement(By.tagName("a")).click();
        present(".trial");
        browser.navigate().back();
        awaitText("h1", pod);
        browser.findElement(By.cssSelector("nav a:nth-child(2)")).click();
        present("section table a[href*='/workers/']");
        open("/team-a/runs/night-5/workers/999999", ".empty");
        awaitText(".empty", "No such worker took part in this run.");
    }

    private boolean inView() {
        return browser.findElements(By.cssSelector(".heading p")).stream()
                .anyMatch(words -> words.getText().contains("in view"));
    }

    @Test
    void theTasksOfARunAreListedByTimeAndByState() {
        wide(1280);
        open("/team-a/runs/flaky-0", ".tasks tbody tr");
        assertThat(browser.findElements(By.cssSelector(".tasks tbody th")))
                .extracting(WebElement::getText)
                .containsExactly("scrolls", "opens", "prints");
        browser.findElement(By.cssSelector(".tasks label:nth-child(2) select")).sendKeys("failed");
        await().atMost(SOON)
                .ignoreExceptions()
                .until(() ->
                        browser.findElements(By.cssSelector(".tasks tbody tr")).size() == 1);
        assertThat(text(".tasks tbody tr")).contains("prints", "NonZeroExit");
        assertThat(browser.getCurrentUrl()).contains("state=failed");
        browser.navigate().refresh();
        present(".tasks tbody tr");
        assertThat(text(".tasks tbody"))
                .as("the tab has kept its token and its address")
                .contains("prints")
                .doesNotContain("opens");
    }

    @Test
    void theListOfRunsIsCutOffNowhereOnAPhone() {
        wide(400);
        open("/team-a", ".runs tbody tr");
        Number hidden = (Number) browser.executeScript(
                "const it = document.querySelector('.scroll'); return it.scrollWidth - it.clientWidth");
        assertThat(hidden.intValue()).isZero();
    }

    @Test
    void theLineBelowTheTimelineHasTheNameOfTheTask() {
        wide(1280);
        open("/team-a/runs/flaky-0", "canvas[data-drawn]");
        browser.findElement(By.id("timeline")).sendKeys(Keys.ARROW_RIGHT);
        awaitText(".readout", "opens, trial 1: passed");
    }

    @Test
    void aRunThatGoesOnHasItsProgressInTheListAndItsNextActsAsCommands() throws Exception {
        wide(1280);
        try (ApiServer its = listen(0, new FixedLive())) {
            open(its, "/team-a", ".runs");
            await().atMost(SOON).ignoreExceptions().until(() -> text(".runs").contains("1,510 of 2,250"));
            open(its, "/team-a/runs/live", ".commands");
            assertThat(text(".commands"))
                    .contains(
                            "kubectl quiver -n team-a suspend tset/specs-now",
                            "kubectl quiver -n team-a cancel tset/specs-now");
            open(its, "/team-a/runs/hostile", "main[aria-busy=false] h1");
            assertThat(browser.findElements(By.cssSelector(".commands")))
                    .as("a name that is none goes into no command")
                    .isEmpty();
            open(server, "/team-a", ".runs");
        }
        browser.manage().logs().get(LogType.BROWSER);
    }

    @Test
    void theNoticeOfTheEmptyDirStaysPutAway() {
        open("/team-a", ".notice button");
        browser.findElement(By.cssSelector(".notice button")).click();
        await().atMost(SOON)
                .until(() -> browser.findElements(By.cssSelector(".notice")).isEmpty());
        browser.navigate().refresh();
        present(".runs tbody tr");
        assertThat(browser.findElements(By.cssSelector(".notice"))).isEmpty();
        browser.executeScript("localStorage.clear()");
    }

    @Test
    void aTestThatFailsEachTimeDoesNotLookHealthyWhereverItIsSummedUp() {
        wide(1280);
        open("/team-a/classes/browsers", "tbody th");
        assertThat(text(".failing")).contains("1 test failed when it last ran, 1 of them in each run.");
        assertThat(browser.findElements(By.cssSelector("tbody th")))
                .extracting(WebElement::getText)
                .contains("scrolls", "opens", "prints failed in each of its 2 runs");
        browser.findElement(By.cssSelector(".failing button")).click();
        await().atMost(SOON)
                .ignoreExceptions()
                .until(() -> browser.findElements(By.cssSelector("tbody tr")).size() == 1);
        assertThat(text("tbody tr")).startsWith("prints").endsWith(" 2 2 0");
        browser.findElement(By.cssSelector("tbody a")).click();
        awaitText(".title", "It failed in each of these 2 runs");
        assertThat(text(".title .badge")).contains("failed");
        open("/team-a/runs/flaky-1", ".tabs");
        assertThat(text(".tabs")).contains("newly failed 0", "still failed 1");
        browser.findElement(By.cssSelector(".tabs button:nth-child(2)")).click();
        awaitText("[aria-label=Differences] tbody", "prints");
        open("/team-a/classes/nightly", "tbody th");
        assertThat(text("main")).contains("failed when they last ran");
    }

    @Test
    void theFirstPageNamesTheNamespacesThatATokenOpens() throws Exception {
        open("/", ".start li a");
        assertThat(text(".start")).contains("This token opens", "team-a").doesNotContain("More namespaces");
        browser.findElement(By.linkText("team-a")).click();
        present(".runs");
        browser.executeScript("sessionStorage.clear()");
        browser.get("http://127.0.0.1:" + server.address().getPort() + "/?" + ++opened);
        present(".start form");
        assertThat(browser.findElements(By.cssSelector("dialog")))
                .as("nobody is asked for a token who has asked for nothing")
                .isEmpty();
        assertThat(browser.findElements(By.cssSelector(".start li"))).isEmpty();
        browser.findElement(By.cssSelector(".start .token")).click();
        awaitText("dialog", "A token is needed");
        browser.findElement(By.cssSelector("dialog input")).sendKeys(Trusting.TOKEN, Keys.ENTER);
        awaitText(".start", "team-a");
        assertThat(violations()).isEmpty();
        browser.manage().logs().get(LogType.BROWSER); // the refusal
    }

    /** Each picture is whole, whatever came how. */
    @Test
    void aRunThatGoesOnIsAskedForWhatIsNewAlone() throws Exception {
        wide(1280);
        record.opened("grows", "grows", T0, 2000).prepared("grows", "worker-1", T0 + 10, new byte[0]);
        for (int step = 0; step < 120; step++) {
            grow(step, T0 + 2000 + step * 500L);
        }
        record.write();
        open("/team-a/runs/grows", "canvas[data-drawn]");
        awaitText(".heading p", "1,920 trials on 8 slots");
        for (int step = 120; step < 123; step++) {
            grow(step, T0 + 2000 + step * 500L);
            record.write();
            awaitText(".heading p", "1,%d trials on 8 slots".formatted(936 + (step - 120) * 16));
        }
        assertThat(asked("/timeline?")).hasSizeGreaterThanOrEqualTo(4);
        long whole = asked("/timeline?").getFirst();
        assertThat(asked("since=")).hasSizeGreaterThanOrEqualTo(3).allMatch(bytes -> bytes < whole / 10);
        assertThat(asked("/timeline?")).filteredOn(bytes -> bytes > whole / 10).hasSize(1);
        assertThat(asked("/failures")).as("none failed").hasSize(1);
        assertThat(asked("/nodes")).as("a set has none").hasSize(1);
        grow(123, T0 + 1000);
        record.write();
        awaitText(".heading p", "1,984 trials on 8 slots");
        assertThat(asked("/timeline?"))
                .as("what came late is no increment")
                .filteredOn(bytes -> bytes >= whole)
                .hasSize(2);
        record.ended("grows", RunEnd.Status.SUCCEEDED, T0 + 70_000, 2000, 0, 1984)
                .write();
        awaitText(".title", "succeeded");
        long worker = Record.number(database, "SELECT id FROM workers WHERE session = 'worker-2'");
        open("/team-a/runs/night-5/workers/" + worker, "canvas[data-drawn]");
        assertThat(asked("/timeline?"))
                .hasSizeGreaterThanOrEqualTo(1)
                .as("its lanes alone")
                .allMatch(bytes -> bytes < 23 * 100);
    }

    private void grow(int step, long at) {
        StepRows rows = new StepRows();
        for (int i = 0; i < 16; i++) {
            rows.pass(step * 16L + i, i % 8, i / 8 * 200, 100 + i);
        }
        record.step("grows", "worker-1", 1 + step, at, rows);
    }

    /** Bytes of the answers to requests of the page that have this text, before they were compressed. */
    @SuppressWarnings("unchecked")
    private List<Long> asked(String text) {
        return (List<Long>) browser.executeScript(
                "return performance.getEntriesByType('resource').filter((it) => it.name.includes(arguments[0]))"
                        + ".map((it) => it.decodedBodySize)",
                text);
    }
}
