package dev.quiver.crds.v1alpha1;

/** Why {@link ConditionType#Blocked} has its status, and why a run goes on without running anything. */
public enum BlockedReason implements Reason {
    // True
    /** A resource that queued work names is missing; the message names it. */
    ResourceMissing("A resource that queued work names is missing."),

    // False
    /** No queued work waits for a resource. */
    NothingMissing("No queued work waits for a resource.");

    private final String sentence;

    BlockedReason(String sentence) {
        this.sentence = sentence;
    }

    @Override
    public String sentence() {
        return sentence;
    }
}
