package dev.quiver.e2e.quiver;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.By;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/** Chromium without a window, as Debian packages it with its driver. */
public final class Browser implements AutoCloseable {

    private static final Path PROGRAM = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Starts one; where the machine has none, the test is skipped by its name. */
    public static Browser start() {
        List.of(PROGRAM, DRIVER)
                .forEach(
                        each -> Assumptions.assumeTrue(Files.isExecutable(each), each + " is missing on this machine"));
        ChromeOptions options = new ChromeOptions();
        options.setBinary(PROGRAM.toFile());
        // The sandbox of a browser needs more rights than a container of tests has.
        options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1200,1000");
        return new Browser(new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(DRIVER.toFile())
                        .usingAnyFreePort()
                        .build(),
                options));
    }

    /** Goes to an address. */
    public void open(String address) {
        driver.get(address);
    }

    /** Goes to another view of the page that is open. */
    public void view(String fragment) {
        driver.executeScript("location.hash = arguments[0]", fragment);
    }

    /** Presses a button once it is there. */
    public void press(String selector) {
        Awaitility.await(selector)
                .until(
                        () -> driver.findElements(By.cssSelector(selector)).stream()
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow()
                .click();
    }

    /** Waits for an element that shows this text. */
    public void await(String selector, String text) {
        Awaitility.await(selector + " shows " + text)
                .until(() ->
                        text(selector).filter(shown -> shown.contains(text)).isPresent());
    }

    /** The text that an element shows; empty where there is none. The page may replace it meanwhile. */
    private Optional<String> text(String selector) {
        try {
            return driver.findElements(By.cssSelector(selector)).stream()
                    .findFirst()
                    .map(WebElement::getText);
        } catch (StaleElementReferenceException e) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        driver.quit();
    }
}
