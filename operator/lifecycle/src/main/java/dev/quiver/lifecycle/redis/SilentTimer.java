package dev.quiver.lifecycle.redis;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client library's timer: time-outs of greetings, and new tries of a cluster's connections. It has a thread only
 * while a time-out is pending or was a short while ago. The network library's own timer ticks ten times a second for as
 * long as the process lives: a tenth of what an idle supervisor costs.
 */
final class SilentTimer implements Timer {

    private static final Logger LOG = LoggerFactory.getLogger(SilentTimer.class);
    private static final Duration THREAD_STAYS = Duration.ofSeconds(5);

    private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("redis-timer").factory());

    SilentTimer() {
        thread.setKeepAliveTime(THREAD_STAYS.toNanos(), TimeUnit.NANOSECONDS);
        thread.allowCoreThreadTimeOut(true);
        thread.setRemoveOnCancelPolicy(true);
    }

    @Override
    public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
        Pending pending = new Pending(task);
        try {
            pending.future = thread.schedule(pending, delay, unit);
        } catch (RejectedExecutionException stopped) {
            throw new IllegalStateException("the timer was stopped", stopped); // as the contract wants it
        }
        return pending;
    }

    /** Forgets all that is pending; nobody asks what it was. */
    @Override
    public Set<Timeout> stop() {
        thread.shutdownNow();
        return Set.of();
    }

    private final class Pending implements Timeout, Runnable {

        private final TimerTask task;
        private volatile boolean begun;
        private volatile Future<?> future; // null for the moment in which it is scheduled

        Pending(TimerTask task) {
            this.task = task;
        }

        @Override
        public void run() {
            begun = true;
            try {
                task.run(this);
            } catch (Exception e) {
                LOG.warn("a time-out of the Redis client failed", e);
            }
        }

        @Override
        public Timer timer() {
            return SilentTimer.this;
        }

        @Override
        public TimerTask task() {
            return task;
        }

        @Override
        public boolean isExpired() {
            return begun;
        }

        @Override
        public boolean isCancelled() {
            return future != null && future.isCancelled();
        }

        @Override
        public boolean cancel() {
            return !begun && future.cancel(false);
        }
    }
}
