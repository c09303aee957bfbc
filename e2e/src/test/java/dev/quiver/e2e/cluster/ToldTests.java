package dev.quiver.e2e.cluster;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.stream.Stream;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * The main class of a JVM that runs test classes and tells the outcome of each test, a line each. After the last one it
 * waits to be killed, while the cluster of the tests still stands. Where nobody holds its input any more it ends by itself.
 */
final class ToldTests implements TestExecutionListener {

    /** The beginning of each line that is told; others are logs. */
    static final String MARK = "TOLD ";

    /** The last line. */
    static final String OVER = MARK + "over";

    private long classes;

    private ToldTests() {}

    /** Takes names of test classes. */
    public static void main(String[] args) {
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(Stream.of(args)
                                        .map(DiscoverySelectors::selectClass)
                                        .toList())
                                .build(),
                        new ToldTests());
    }

    @Override
    public void testPlanExecutionStarted(TestPlan plan) {
        classes = plan.getRoots().stream()
                .mapToLong(root -> plan.getChildren(root).size())
                .sum();
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        tell("skipped", test);
        System.out.println(reason);
        countClass(test);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        String outcome = switch (result.getStatus()) {
            case SUCCESSFUL -> "passed";
            case ABORTED -> "skipped";
            case FAILED -> "failed";
        };
        if (test.isTest() || result.getStatus() == TestExecutionResult.Status.FAILED) {
            tell(outcome, test);
        }
        if (result.getStatus() == TestExecutionResult.Status.FAILED) {
            result.getThrowable().ifPresent(thrown -> thrown.printStackTrace(System.out));
        }
        countClass(test);
    }

    private void countClass(TestIdentifier test) {
        boolean whole = test.getUniqueIdObject().getSegments().size() == 2; // below the engine
        if (whole && --classes == 0) {
            System.out.println(OVER);
            try {
                System.in.transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static void tell(String outcome, TestIdentifier test) {
        String name = test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(MethodSource.class::cast)
                .map(method -> method.getJavaClass().getSimpleName() + "." + method.getMethodName())
                .orElse(test.getDisplayName());
        System.out.println(MARK + outcome + " " + name);
    }
}
