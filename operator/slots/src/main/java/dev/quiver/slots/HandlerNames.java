package dev.quiver.slots;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

import dev.quiver.slots.layout.ExecDescriptor;

/** The names of handlers: what may be one, and the list in the header of {@code exec}. Pure. */
final class HandlerNames {
    private HandlerNames() {}

    /** The executors' bytes are no list of names. */
    static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1L;

        RefusedException(String message) {
            super(message);
        }
    }

    /** The fault of the name; empty for a good one. */
    static Optional<String> fault(String name) {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1 || bytes > ExecDescriptor.MAX_HANDLER_BYTES) {
            return Optional.of("has " + bytes + " bytes: allowed are 1 to " + ExecDescriptor.MAX_HANDLER_BYTES);
        }
        return name.codePoints().anyMatch(HandlerNames::unfit)
                ? Optional.of("has a control character or half a character")
                : Optional.empty();
    }

    private static boolean unfit(int c) {
        return Character.isISOControl(c) || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
    }

    /** The length that stands beside the list, if it can be one. */
    static int length(int announced) throws RefusedException {
        if (announced < 0 || announced > ExecDescriptor.HANDLERS_BYTES) {
            throw new RefusedException("handlersLength is " + Integer.toUnsignedString(announced) + ": at most "
                    + ExecDescriptor.HANDLERS_BYTES + " are allowed");
        }
        return announced;
    }

    /** The names in a copy of the list, in their order, without repetitions; none for no bytes. */
    static List<String> read(byte[] list) throws RefusedException {
        if (list.length == 0) {
            return List.of();
        }
        String text =
                Texts.exact(list).orElseThrow(() -> new RefusedException("the announced handlers are not valid UTF-8"));
        List<String> names = List.of(text.split("\n", -1));
        if (names.size() > ExecDescriptor.MAX_HANDLERS) {
            throw new RefusedException(
                    names.size() + " handlers were announced: at most " + ExecDescriptor.MAX_HANDLERS + " are allowed");
        }
        for (int i = 0; i < names.size(); i++) {
            Optional<String> fault = fault(names.get(i));
            if (fault.isPresent()) {
                throw new RefusedException("the announced handler " + i + " " + fault.get());
            }
        }
        return names.stream().distinct().toList();
    }
}
