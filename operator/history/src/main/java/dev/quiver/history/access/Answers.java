package dev.quiver.history.access;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Function;

import com.github.benmanes.caffeine.cache.Cache;

/**
 * Answers that are kept for a while. One caller asks, and all who want the same answer meanwhile wait for it; a failure
 * is theirs, too, and is not kept. Thread-safe.
 */
final class Answers<K, V> {

    private final Cache<K, V> kept;
    private final ConcurrentMap<K, FutureTask<V>> asked = new ConcurrentHashMap<>();

    Answers(Cache<K, V> kept) {
        this.kept = kept;
    }

    /** The kept answer, or that of the question. */
    V of(K key, Function<K, V> question) {
        V known = kept.getIfPresent(key);
        if (known != null) {
            return known;
        }
        FutureTask<V> own = new FutureTask<>(() -> {
            V answer = question.apply(key);
            kept.put(key, answer);
            return answer;
        });
        FutureTask<V> first = asked.putIfAbsent(key, own);
        if (first != null) {
            return answer(first);
        }
        try {
            own.run();
            return answer(own);
        } finally {
            asked.remove(key, own);
        }
    }

    private static <V> V answer(FutureTask<V> task) {
        try {
            return task.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
