package dev.quiver.sdk;

/** Interrupts the thread that made it, only between arm and disarm of the generation that it is for. */
final class Interruption {
    private final Thread work = Thread.currentThread();
    private long armed;

    synchronized void arm(long generation) {
        armed = generation;
    }

    /** Afterwards no interrupt comes any more, and none is left. By the work thread. */
    synchronized void disarm() {
        armed = 0;
        Thread.interrupted();
    }

    /** By the watch thread. */
    synchronized void interrupt(long generation) {
        if (armed == generation) {
            work.interrupt();
        }
    }
}
