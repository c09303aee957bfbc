package dev.quiver.lifecycle.worker;

/**
 * How many calls to Redis somebody may still make in a round whose length others decide. Not thread-safe.
 */
public final class CallBudget {

    private int left;

    /** A budget of so many calls. */
    public CallBudget(int calls) {
        left = calls;
    }

    /** A budget of its own with a part of the calls that are left, which this one has no more. */
    public CallBudget part(int parts) {
        int calls = Math.max(0, left) / parts;
        left -= calls;
        return new CallBudget(calls);
    }

    /** Takes what is left of another budget. */
    public void join(CallBudget other) {
        left = Math.max(0, left) + Math.max(0, other.left);
        other.left = 0;
    }

    /** Takes so many calls; false when the budget is used up. */
    public boolean take(int calls) {
        left -= calls;
        return left >= 0;
    }
}
