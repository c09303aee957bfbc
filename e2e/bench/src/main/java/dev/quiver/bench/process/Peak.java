package dev.quiver.bench.process;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.DoubleSupplier;

/**
 * The most of something while a piece of work goes on.
 *
 * @param value of the work
 */
public record Peak<T>(T value, double most) {

    private static final long LOOK_MILLIS = 200;

    /** Does the work, and looks at the measure five times a second meanwhile. */
    public static <T> Peak<T> of(Callable<T> work, DoubleSupplier measured) throws Exception {
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<T> value = thread.submit(work);
            double most = 0;
            while (true) {
                most = Math.max(most, measured.getAsDouble());
                try {
                    return new Peak<>(value.get(LOOK_MILLIS, TimeUnit.MILLISECONDS), most);
                } catch (TimeoutException goesOn) {
                    // The next look.
                } catch (ExecutionException failed) {
                    throw failed.getCause() instanceof Exception cause ? cause : failed;
                }
            }
        }
    }
}
