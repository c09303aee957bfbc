package dev.quiver.crds.v1alpha1;

/** Why {@link ConditionType#HistoryBacklogged} has its status, for any kind. */
public enum HistoryReason implements Reason {
    // True
    /** There is no room for the output of trials. */
    OutputLeftOut("History is behind: output is left out of the record."),
    /** There is no room for trials that passed. */
    PassesLeftOut("History is behind: trials that passed are counted and not recorded."),
    /** There is no room for any trial. */
    TrialsLeftOut("History is behind: trials are counted and not recorded."),
    /** The run waits for room, as it asked to. */
    TasksWait("History is behind: no task is given out until there is room, as history.whenFull asks."),
    /** The volume of the record has less room than the record may take; nothing is left out yet. */
    VolumeShort("The volume of the record has less room than the record may take."),

    // False
    /** There is room again. */
    CaughtUp("History has caught up.");

    private final String sentence;

    HistoryReason(String sentence) {
        this.sentence = sentence;
    }

    @Override
    public String sentence() {
        return sentence;
    }
}
