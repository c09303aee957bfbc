package dev.quiver.slots;

import java.util.List;
import java.util.Optional;

/** Says when the handlers that the executors announce have changed. For the thread that polls the board. */
final class HandlerWatch {
    private static final int NEVER_READ = 1; // odd: no list that can be read has this sequence

    private int sequence = NEVER_READ;
    private List<String> announced = List.of();

    /** An agent came: its list is read even if its sequence is the one read last. */
    void restart() {
        sequence = NEVER_READ;
    }

    /** Reads the list if it is another than before. One that is being written just now is left to the next look. */
    void look(ExecRegion exec, List<SlotEvent> events) {
        int now = exec.handlersSequence();
        if (now == sequence) {
            return;
        }
        try {
            Optional<byte[]> list = exec.handlers(now);
            if (list.isPresent()) {
                sequence = now;
                say(HandlerNames.read(list.get()), events);
            }
        } catch (HandlerNames.RefusedException e) {
            sequence = now;
            events.add(new SlotEvent.Violated(new Violation(-1, Violation.Kind.HANDLERS, e.getMessage())));
        }
    }

    /** Withdraws all handlers: no slot serves any more. */
    void withdraw(List<SlotEvent> events) {
        say(List.of(), events);
    }

    private void say(List<String> names, List<SlotEvent> events) {
        if (!names.equals(announced)) {
            announced = names;
            events.add(new SlotEvent.HandlersAnnounced(names));
        }
    }
}
