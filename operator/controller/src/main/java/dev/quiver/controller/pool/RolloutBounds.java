package dev.quiver.controller.pool;

import io.fabric8.kubernetes.api.model.IntOrString;

import dev.quiver.crds.v1alpha1.Rollout;

/**
 * The bounds of a rolling change, in pods. As in a Deployment, percentages of unavailable pods round down, of surge up.
 * Both 0 means one unavailable pod, since no pod could be replaced otherwise. Pure.
 *
 * @param maxUnavailable pods that may be missing, 0 to {@code wanted}
 * @param maxSurge pods that may be too many
 */
record RolloutBounds(int maxUnavailable, int maxSurge) {

    static RolloutBounds of(Rollout rollout, int wanted) {
        int unavailable = pods(rollout.maxUnavailable(), wanted, false);
        int surge = pods(rollout.maxSurge(), wanted, true);
        return new RolloutBounds(Math.min(wanted, unavailable == 0 && surge == 0 ? 1 : unavailable), surge);
    }

    private static int pods(IntOrString value, int wanted, boolean up) {
        if (value.getIntVal() != null) {
            return value.getIntVal();
        }
        String text = value.getStrVal();
        if (!text.endsWith("%")) {
            // A number in quotes, as templates write it: the API server accepts it, so it must have a meaning here.
            return Integer.parseInt(text);
        }
        int percent = Integer.parseInt(text.substring(0, text.length() - 1));
        return up ? Math.ceilDiv(wanted * percent, 100) : wanted * percent / 100;
    }
}
