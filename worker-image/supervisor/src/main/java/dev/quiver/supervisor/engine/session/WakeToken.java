package dev.quiver.supervisor.engine.session;

import java.time.Duration;

/**
 * The pool's wake token, once this pod took it. It should go on to another pod if there is only work for handlers that
 * this one does not serve. It is passed on always if it brought news of such a set, else now and then. Pods that serve
 * none of them would otherwise pass it round without end. Pure. Belongs to the engine's thread.
 */
final class WakeToken {

    private boolean taken;
    private boolean news;
    private long restsUntil;

    WakeToken(long now) {
        restsUntil = now;
    }

    /** The list rang for us. */
    void taken() {
        taken = true;
        news = false;
    }

    /** A set was found that others serve. */
    void foundForOthers() {
        news = true;
    }

    /** Work was found, whose claim passes the token on; or there is none. */
    void used() {
        taken = false;
    }

    /** Whether it was taken and led to nothing yet. */
    boolean isTaken() {
        return taken;
    }

    /** Whether it should go on when nothing is found for this pod. */
    boolean goesOn(long now) {
        return taken && mayGoOn(now, news);
    }

    /** Whether one should go on now, taken or not. */
    boolean mayGoOn(long now, boolean withNews) {
        return withNews || now - restsUntil >= 0;
    }

    /** It went on; for so long the next one does only with news. */
    void wentOn(long now, Duration rest) {
        taken = false;
        restsUntil = now + rest.toNanos();
    }
}
