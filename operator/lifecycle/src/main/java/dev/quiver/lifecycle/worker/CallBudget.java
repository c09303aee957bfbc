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

    /** Takes so many calls; false when the budget is used up. */
    public boolean take(int calls) {
        left -= calls;
        return left >= 0;
    }
}
