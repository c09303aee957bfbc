package dev.quiver.history.web;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Shares of something that is bounded for all: bytes of memory, or places. An owner may hold as much as it leaves free.
 * The first owner gets at most half of all, the next one half of the rest, so there is always some for the next one.
 * One piece that is larger is given to an owner that holds nothing. Those that wait are served by owner: the one that
 * was served longest ago comes first, however many wait for another one. At most {@value #MOST_WAITING} requests of one
 * owner wait. Thread-safe.
 */
final class Shares {

    /** The requests of one owner that wait at a time: each has a connection of the server. */
    private static final int MOST_WAITING = 128;

    private final long total;
    private final long mostOfOne;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Owner> owners = new HashMap<>();
    private final List<Waiter> waiting = new ArrayList<>();
    private long used;
    private long turn;

    /** The share of an owner; forgotten once it holds nothing and waits for nothing. */
    private static final class Owner {

        private final String name;
        private long held;
        private long lastTurn;
        private int waiting;

        Owner(String name) {
            this.name = name;
        }
    }

    /** One who waits. */
    private static final class Waiter {

        private final Owner owner;
        private final long amount;
        private final Condition woken;
        private boolean served;

        Waiter(Owner owner, long amount, Condition woken) {
            this.owner = owner;
            this.amount = amount;
            this.woken = woken;
        }
    }

    /** Creates shares of that total, all of which one owner may hold. */
    Shares(long total) {
        this(total, total);
    }

    /** Creates shares of that total, of which an owner holds {@code mostOfOne} at most. */
    Shares(long total, long mostOfOne) {
        this.total = total;
        this.mostOfOne = mostOfOne;
    }

    /** How much there is for all. */
    long total() {
        return total;
    }

    /** A part that an owner holds until it is closed. */
    final class Held implements AutoCloseable {

        private final Owner owner;
        private long amount;

        private Held(Owner owner, long amount) {
            this.owner = owner;
            this.amount = amount;
        }

        /** Makes it as large as that, if there is room now; a smaller one always is. */
        boolean resize(long to) {
            lock.lock();
            try {
                long more = to - amount;
                if (more > 0 && !fits(owner, more)) {
                    return false;
                }
                give(owner, more);
                amount = to;
                if (more < 0) {
                    serve();
                }
                return true;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            lock.lock();
            try {
                give(owner, -amount);
                amount = 0;
                forget(owner);
                serve();
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Takes some for an owner.
     *
     * @param amount more than there is counts as all of it
     * @param patience how long to wait for it; {@link Duration#ZERO}: not at all
     * @return absent when there is none for this owner
     */
    Optional<Held> take(String name, long amount, Duration patience) {
        long most = Math.min(amount, total);
        lock.lock();
        try {
            Owner owner = owners.computeIfAbsent(name, Owner::new);
            if (owner.waiting == MOST_WAITING) {
                return Optional.empty();
            }
            Waiter waiter = new Waiter(owner, most, lock.newCondition());
            waiting.add(waiter);
            owner.waiting++;
            serve();
            try {
                await(waiter, patience.toNanos());
            } finally {
                if (!waiter.served) {
                    waiting.remove(waiter);
                    owner.waiting--;
                    forget(owner);
                    serve();
                }
            }
            return waiter.served ? Optional.of(new Held(owner, most)) : Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    private void await(Waiter waiter, long nanos) {
        long left = nanos;
        while (!waiter.served && left > 0) {
            try {
                left = waiter.woken.awaitNanos(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private boolean fits(Owner owner, long more) {
        long free = total - used;
        return owner.held + more <= Math.min(free, mostOfOne);
    }

    private void give(Owner owner, long more) {
        owner.held += more;
        used += more;
    }

    private void forget(Owner owner) {
        if (owner.held == 0 && owner.waiting == 0) {
            owners.remove(owner.name);
        }
    }

    /** One that holds nothing and finds no room keeps those behind it waiting, or it would never have its turn. */
    private void serve() {
        boolean again = true;
        while (again) {
            again = false;
            waiting.sort(Comparator.comparingLong(waiter -> waiter.owner.lastTurn));
            for (Iterator<Waiter> each = waiting.iterator(); each.hasNext() && !again; ) {
                Waiter waiter = each.next();
                if (fits(waiter.owner, waiter.amount)) {
                    each.remove();
                    waiter.served = true;
                    waiter.owner.waiting--;
                    waiter.owner.lastTurn = ++turn;
                    give(waiter.owner, waiter.amount);
                    waiter.woken.signal();
                    again = true;
                } else if (waiter.owner.held == 0) {
                    return;
                }
            }
        }
    }
}
