package dev.quiver.lifecycle.task.producer;

/** Some events behind a position are gone: nobody followed for a while, or they came too fast. States tell the truth. */
public final class EventsLostException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String position;

    EventsLostException(String position) {
        super("events are lost: look at the states of tasks, and go on from position " + position);
        this.position = position;
    }

    /** From where events are there. */
    public String position() {
        return position;
    }
}
