package dev.quiver.lifecycle.worker;

import java.util.concurrent.ThreadLocalRandom;

import dev.quiver.lifecycle.execution.RetryBackoff;

/** Failures that wait before they are tried again. */
public final class BackedOff {

    private BackedOff() {}

    /**
     * A failure that may be tried again at once waits as its task's document has it.
     *
     * @param failed trials that failed, this one included
     */
    public static Settlement of(Settlement settlement, RetryBackoff backoff, int failed) {
        if (!(settlement instanceof Settlement.Failed(var claim, var time, var failure, Retry.AtOnce _, var facts))) {
            return settlement;
        }
        return backoff.equals(RetryBackoff.NONE)
                ? settlement
                : new Settlement.Failed(
                        claim,
                        time,
                        failure,
                        new Retry.After(backoff.after(failed, ThreadLocalRandom.current())),
                        facts);
    }
}
