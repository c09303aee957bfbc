package dev.quiver.controller.pool;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

import dev.quiver.controller.status.ConditionStatus;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.store.GrantedPrefixes.Use;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.PrefixWire;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;

/** Condition {@code PrefixGranted}, which only a pool with {@code spec.grantedPrefix} has, and its number. Pure. */
final class PrefixCondition {

    /** 52 bits. */
    private static final int HEX_DIGITS = 13;

    private static final int HEX = 16;

    private PrefixCondition() {}

    static void set(PoolView view, Conditions fresh) {
        switch (view.prefix()) {
            case Use.None _ -> {}
            case Use.Granted(String prefix) ->
                fresh.set(
                        ConditionType.PrefixGranted,
                        ConditionStatus.True,
                        WorkerPoolReason.PrefixGranted,
                        isQueue(view)
                                ? "The pool runs the map-reduce jobs under \"" + prefix + "\"."
                                : "The pool works under \"" + prefix + "\", where it is called "
                                        + view.pool().getMetadata().getName() + ".");
            case Use.Refused(WorkerPoolReason reason, String message) ->
                fresh.set(ConditionType.PrefixGranted, ConditionStatus.False, reason, message);
        }
    }

    /** The number that the first idoit gave a pool of that name; absent for one that works under no prefix of idoit's programs. */
    static Optional<Long> poolId(PoolView view) {
        return view.prefix()
                .usable()
                .filter(_ -> !isQueue(view))
                .map(_ -> poolId(view.pool().getMetadata().getName()));
    }

    private static boolean isQueue(PoolView view) {
        return view.pool()
                .getSpec()
                .foreignKeys()
                .filter(keys -> keys.wire() == PrefixWire.Queue)
                .isPresent();
    }

    static long poolId(String name) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            return Long.parseLong(HexFormat.of().formatHex(hash).substring(0, HEX_DIGITS), HEX);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
