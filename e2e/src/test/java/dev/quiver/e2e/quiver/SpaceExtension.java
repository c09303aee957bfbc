package dev.quiver.e2e.quiver;

import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.opentest4j.TestAbortedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives each test a {@link Space} parameter, a namespace of its own that goes when the test is over. When the test
 * fails, what a person would look at is kept in {@code target/scenarios/<class>.<method>} before.
 */
public final class SpaceExtension implements ParameterResolver, AfterTestExecutionCallback {

    private static final Logger LOG = LoggerFactory.getLogger(SpaceExtension.class);
    private static final ExtensionContext.Namespace STORE = ExtensionContext.Namespace.create(SpaceExtension.class);
    private static final AtomicInteger COUNT = new AtomicInteger();

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Space.class;
    }

    @Override
    public Space resolveParameter(ParameterContext parameter, ExtensionContext context) {
        String name = parameter
                .findAnnotation(Granted.class)
                .map(granted -> Installation.GRANTED.get(granted.value()))
                .orElseGet(() -> name(context));
        boolean restricted = !parameter.isAnnotated(Unrestricted.class);
        return context.getStore(STORE)
                .computeIfAbsent(
                        Space.class,
                        key -> Space.open(InstallationExtension.whole(context), name, restricted),
                        Space.class);
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        Space space = context.getStore(STORE).get(Space.class, Space.class);
        boolean failed = context.getExecutionException()
                .filter(thrown -> !(thrown instanceof TestAbortedException))
                .isPresent();
        if (!failed || space == null) {
            return;
        }
        Path folder = Path.of(
                        "target",
                        "scenarios",
                        context.getRequiredTestClass().getSimpleName() + "."
                                + context.getRequiredTestMethod().getName())
                .toAbsolutePath();
        try {
            new Evidence(InstallationExtension.installation(context), space).keep(folder);
            LOG.error("{} failed; what was to be seen is in {}", context.getDisplayName(), folder);
        } catch (RuntimeException e) {
            LOG.error("the evidence could not be kept", e); // the test's own failure is the news
        }
    }

    private static String name(ExtensionContext context) {
        String about = context.getRequiredTestClass()
                .getSimpleName()
                .replaceFirst("E2E$", "")
                .toLowerCase(Locale.ROOT);
        return "e2e-" + about + "-" + COUNT.incrementAndGet();
    }
}
