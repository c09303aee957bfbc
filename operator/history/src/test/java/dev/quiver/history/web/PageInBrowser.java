package dev.quiver.history.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

import dev.quiver.history.live.Live;
import dev.quiver.history.rig.Record;
import dev.quiver.history.rig.Runs;
import dev.quiver.history.rig.Trusting;
import dev.quiver.history.store.Sealing;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** A real browser with the page of a record. Its tests share the record and the browser. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class PageInBrowser {

    private static final Supplier<About> ABOUT =
            () -> new About("a database", Optional.empty(), Optional.empty(), Optional.empty(), true);

    /** Other tests may keep the machine busy meanwhile. */
    static final Duration SOON = Duration.ofMinutes(2);

    private static final Path PROGRAM = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");

    SqliteDatabase database;
    Record record;
    ApiServer server;
    ChromeDriver browser;
    int opened;

    @BeforeAll
    void begin(@TempDir Path folder) throws Exception {
        database = SqliteDatabase.open(SqliteSettings.of(folder.resolve("record.db")));
        record = new Record(database, Keyspace.ofNamespace("team-a"));
        new Runs(record).write();
        new Sealing(database).seal(100);
        server = listen(0);
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, java.util.logging.Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(PROGRAM.toFile());
        options.setCapability("goog:loggingPrefs", logs);
        // The sandbox of a browser needs more rights than a container of tests has.
        options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars");
        browser = new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(DRIVER.toFile())
                        .usingAnyFreePort()
                        .withTimeout(SOON)
                        .build(),
                options);
        browser.manage().timeouts().scriptTimeout(SOON);
    }

    ApiServer listen(int port) throws Exception {
        return listen(port, Trusting.NO_LIVE);
    }

    ApiServer listen(int port, Live live) throws Exception {
        return ApiServer.listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                Optional.empty(),
                database,
                new Trusting(),
                live,
                ABOUT);
    }

    @AfterAll
    void end() {
        if (browser != null) {
            browser.quit();
        }
        if (server != null) {
            server.close();
        }
        if (database != null) {
            database.close();
        }
    }

    /** A refusal of the content policy, a broken script and a missing file are all written there, as severe. */
    @AfterEach
    void theBrowserHasNoComplaint() {
        assertThat(browser.manage().logs().get(LogType.BROWSER).getAll())
                .filteredOn(entry -> entry.getLevel().intValue() >= java.util.logging.Level.SEVERE.intValue())
                .isEmpty();
        assertThat(browser.getTitle()).isNotEqualTo("owned");
    }

    /** A page of its own for each view: its token is read once. */
    void open(String view, String awaited) {
        open(server, view, awaited);
    }

    void open(ApiServer at, String view, String awaited) {
        browser.get("http://127.0.0.1:" + at.address().getPort() + "/?" + ++opened + "#token=" + Trusting.TOKEN);
        present(".offer");
        browser.findElement(By.cssSelector(".offer [name=use]")).click();
        present(".start");
        browser.executeScript("location.hash = arguments[0]", view);
        present(awaited);
    }

    void present(String selector) {
        await(selector)
                .atMost(SOON)
                .until(() -> !browser.findElements(By.cssSelector(selector)).isEmpty());
    }

    /** The page may draw an element anew between finding and reading it. */
    String text(String selector) {
        return await(selector)
                .atMost(SOON)
                .ignoreException(StaleElementReferenceException.class)
                .until(() -> browser.findElement(By.cssSelector(selector)).getText(), words -> true);
    }

    void theme(String scheme) {
        browser.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    void drawn() {
        present("canvas[data-drawn]");
    }

    /** The page's own width: a window is never less than 500 pixels wide, so a size of the window would not do. */
    void wide(int pixels) {
        wide(pixels, 1000);
    }

    void wide(int pixels, int high) {
        browser.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", pixels, "height", high, "deviceScaleFactor", 1, "mobile", false));
    }

    /** Tables and texts that are wider than their place, so that a reader has to scroll sideways. */
    List<?> cutOff() {
        return (List<?>)
                browser.executeScript(
                        "return [...document.querySelectorAll('main *, header *')]"
                                + ".filter((it) => it.checkVisibility() && !it.closest('.hidden, svg') && it.scrollWidth > it.clientWidth + 1"
                                + " && getComputedStyle(it).overflowX !== 'visible' && it.clientWidth > 0)"
                                + ".map((it) => `${it.tagName} ${it.className} ${it.ariaLabel ?? ''}: ${it.scrollWidth} in ${it.clientWidth}`)");
    }

    /** The faults that axe finds against WCAG 2.1 AA. */
    List<?> violations() throws Exception {
        try (InputStream axe =
                PageInBrowser.class.getResourceAsStream("/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js")) {
            browser.executeScript(new String(axe.readAllBytes(), StandardCharsets.UTF_8));
        }
        return (List<?>) browser.executeAsyncScript("const done = arguments[0];"
                + "axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']}).then((found) => done("
                + "found.violations.map((each) => each.id + ': ' + each.nodes.map((node) => node.html.slice(0, 200)"
                + " + ' ' + node.any.map((why) => why.message))[0])));");
    }

    void awaitText(String selector, String part) {
        await(part).atMost(SOON).ignoreExceptions().until(() -> text(selector).contains(part));
    }
}
