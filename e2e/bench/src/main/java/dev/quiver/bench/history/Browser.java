package dev.quiver.bench.history;

import java.io.Closeable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;

import dev.quiver.bench.MissingPartException;
import dev.quiver.bench.Waiting;

/** Debian's Chromium without a window, whose frames wait for no screen. */
final class Browser implements Closeable {

    private static final Path PROGRAM = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration BETWEEN_MOVES = Duration.ofMillis(20);

    /** Notes how long each frame takes in which the timeline was drawn, until {@code stop}. */
    private static final String WATCH = """
            const canvas = document.querySelector('#timeline');
            const frames = [];
            let last = performance.now(), on = true;
            const frame = () => {
              const now = performance.now();
              if (canvas.dataset.drawn) { frames.push(now - last); delete canvas.dataset.drawn; }
              last = now;
              if (on) requestAnimationFrame(frame);
            };
            delete canvas.dataset.drawn;
            requestAnimationFrame(frame);
            window.endOfWatch = () => { on = false; return frames; };
            """;

    private static final String LOADED = """
            return performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
              .filter((each) => !each.name.includes('/v1/')).reduce((sum, each) => sum + each.decodedBodySize, 0);
            """;

    private final ChromeDriver driver;

    /** Starts it. */
    Browser() throws MissingPartException {
        if (!Files.isExecutable(PROGRAM) || !Files.isExecutable(DRIVER)) {
            throw new MissingPartException(
                    "chromium is not installed (Debian: apt-get install chromium chromium-driver)");
        }
        ChromeOptions options = new ChromeOptions();
        options.setBinary(PROGRAM.toFile());
        // The sandbox of a browser needs more rights than a container has. Frames of 60 Hz would hide what a frame
        // takes.
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-gpu-vsync",
                "--disable-frame-rate-limit");
        driver = new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(DRIVER.toFile())
                        .usingAnyFreePort()
                        .withTimeout(PATIENCE)
                        .build(),
                options);
        driver.manage().timeouts().scriptTimeout(PATIENCE);
        driver.manage().window().setSize(new Dimension(1400, 1000));
    }

    /** Name and version. */
    String described() {
        return driver.getCapabilities().getBrowserName() + " "
                + driver.getCapabilities().getBrowserVersion();
    }

    /** Opens a page, takes the token of its address, then a view of it, and returns when the selector is there. */
    void open(String page, String view, String awaited) throws Exception {
        driver.get(page);
        present(".offer [name=use]");
        driver.findElement(By.cssSelector(".offer [name=use]")).click();
        present("main h1");
        driver.executeScript("location.hash = arguments[0]", view);
        present(awaited);
    }

    private void present(String selector) throws Exception {
        Waiting.await(
                selector,
                PATIENCE,
                () -> !driver.findElements(By.cssSelector(selector)).isEmpty());
    }

    /** Bytes of what the page consists of, without the answers of the API. */
    long loadedBytes() {
        return ((Number) driver.executeScript(LOADED)).longValue();
    }

    /** Drags over the timeline; returns the milliseconds of each frame in which it was drawn. */
    List<Double> drag(int moves) {
        WebElement canvas = driver.findElement(By.id("timeline"));
        int half = canvas.getSize().width / 2;
        Actions actions = new Actions(driver, BETWEEN_MOVES)
                .moveToElement(canvas, -half / 2, 0)
                .clickAndHold();
        for (int i = 0; i < moves; i++) {
            actions.moveByOffset(i * 2 < moves ? 2 : -2, i % 2 == 0 ? 1 : -1);
        }
        List<Double> frames = watched(actions);
        new Actions(driver).release().perform();
        return frames;
    }

    /** Zooms in and out, so that each frame has other trials in view; returns as {@link #drag} does. */
    List<Double> zoom(int times) {
        driver.executeScript("document.querySelector('#timeline').focus()");
        Actions actions = new Actions(driver, BETWEEN_MOVES);
        for (int i = 0; i < times; i++) {
            actions.sendKeys(i % 2 == 0 ? "+" : "-").pause(BETWEEN_MOVES);
        }
        return watched(actions);
    }

    @SuppressWarnings("unchecked")
    private List<Double> watched(Actions actions) {
        driver.executeScript(WATCH);
        actions.perform();
        List<Number> frames = (List<Number>) driver.executeScript("return window.endOfWatch()");
        return frames.stream().map(Number::doubleValue).toList();
    }

    @Override
    public void close() {
        driver.quit();
    }
}
