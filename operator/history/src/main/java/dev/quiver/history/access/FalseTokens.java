package dev.quiver.history.access;

import java.net.InetAddress;
import java.util.function.LongSupplier;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

/**
 * Bounds the reviews of tokens that turn out to be false, for each address and for all together. A flood of tokens on
 * this program is therefore no flood on the API server. A token that is good costs nothing. Thread-safe.
 */
final class FalseTokens {

    /** The reviews that one address has at once; it gets one more in each second. */
    static final int OF_ADDRESS = 20;

    private static final int OF_ALL = 200;
    private static final int EACH_SECOND_OF_ALL = 20;
    private static final int ADDRESSES = 10_000;
    private static final double NANOS = 1e9;

    private final LongSupplier nanos;
    private final Bucket all;
    private final Cache<InetAddress, Bucket> addresses =
            Caffeine.newBuilder().maximumSize(ADDRESSES).build();

    FalseTokens(LongSupplier nanos) {
        this.nanos = nanos;
        all = new Bucket(OF_ALL, EACH_SECOND_OF_ALL, nanos.getAsLong());
    }

    /** Takes the cost of one review, which {@link #giveBack} returns; false where none is left. */
    boolean take(InetAddress from) {
        Bucket own = bucket(from);
        if (!own.take(nanos.getAsLong())) {
            return false;
        }
        if (!all.take(nanos.getAsLong())) {
            own.giveBack();
            return false;
        }
        return true;
    }

    void giveBack(InetAddress from) {
        bucket(from).giveBack();
        all.giveBack();
    }

    private Bucket bucket(InetAddress from) {
        return addresses.get(from, it -> new Bucket(OF_ADDRESS, 1, nanos.getAsLong()));
    }

    /** Fills up by so many in a second. */
    private static final class Bucket {

        private final int most;
        private final int eachSecond;
        private double left;
        private long at;

        Bucket(int most, int eachSecond, long at) {
            this.most = most;
            this.eachSecond = eachSecond;
            this.left = most;
            this.at = at;
        }

        synchronized boolean take(long now) {
            left = Math.min(most, left + (now - at) / NANOS * eachSecond);
            at = now;
            if (left < 1) {
                return false;
            }
            left--;
            return true;
        }

        synchronized void giveBack() {
            left = Math.min(most, left + 1);
        }
    }
}
