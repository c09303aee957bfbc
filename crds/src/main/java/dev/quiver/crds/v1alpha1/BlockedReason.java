package dev.quiver.crds.v1alpha1;

/** Why {@link ConditionType#Blocked} has its status, and why a run goes on without running anything. */
public enum BlockedReason implements Reason {
    // True
    /** A resource that queued work names is missing; the message names it. */
    ResourceMissing("A resource that queued work names is missing."),
    /** A resource that queued work names is there, and others hold all of its permits; the message names them. */
    PermitMissing("Other Tasks hold all permits of a resource that queued work names."),
    /** A resource that the run names has permits, which Tasks alone can hold: it does not go on. The message names it. */
    SchedulingNotSupported("A resource that the run names has permits, which only Tasks can hold."),
    /** As many as may start in a window of time have started; the message names the resource. */
    RateLimited("As many Tasks as may start in a window of time have started."),

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
