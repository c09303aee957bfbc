package dev.quiver.slots;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import dev.quiver.slots.layout.CommandDescriptor;

/** Writes the command record, for handlers too. Pure; the agent's reader shares its golden bytes. */
final class CommandCodec {
    private CommandCodec() {}

    static byte[] encode(SlotProgram execution) throws InvalidAssignmentException {
        return switch (execution) {
            case Command command -> {
                requireCount("command", command.argv().size(), 1);
                requireCount("env", command.env().size(), 0);
                check(command);
                yield encode(
                        command.argv(),
                        command.env(),
                        command.workingDirectory(),
                        command.grace(),
                        command.streamKib());
            }
            case HandlerCall call -> {
                Optional<String> fault = HandlerNames.fault(call.handler());
                if (fault.isPresent()) {
                    throw new InvalidAssignmentException("handler " + fault.get());
                }
                requireCount("env", call.env().size(), 0);
                requireStreamKib(call.streamKib());
                yield encode(List.of(call.handler()), call.env(), Optional.empty(), Duration.ZERO, call.streamKib());
            }
        };
    }

    private static void check(Command command) throws InvalidAssignmentException {
        if (command.argv().getFirst().isEmpty()) {
            throw new InvalidAssignmentException("command[0] is empty: it names the program");
        }
        if (command.grace().isNegative() || command.grace().compareTo(Command.MAX_GRACE) > 0) {
            throw new InvalidAssignmentException(
                    "grace is " + command.grace() + ": allowed are 0 to " + Command.MAX_GRACE);
        }
        requireStreamKib(command.streamKib());
    }

    private static void requireStreamKib(int kib) throws InvalidAssignmentException {
        if (kib < 0 || kib > Command.MAX_STREAM_KIB) {
            throw new InvalidAssignmentException(
                    "streamKib is " + kib + ": allowed are 0 to " + Command.MAX_STREAM_KIB);
        }
    }

    private static byte[] encode(
            List<String> argv, Map<String, String> env, Optional<String> directory, Duration grace, int streamKib)
            throws InvalidAssignmentException {
        List<byte[]> strings = strings(argv, env, directory);
        int bytes = CommandDescriptor.STRINGS_AT;
        try {
            for (byte[] string : strings) {
                bytes = Math.addExact(bytes, string.length + 1);
            }
        } catch (ArithmeticException e) {
            throw new InvalidAssignmentException("command and env are larger than 2 GiB");
        }
        ByteBuffer to = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        to.putInt(CommandDescriptor.MAGIC_AT, CommandDescriptor.MAGIC);
        to.putShort(CommandDescriptor.MAJOR_AT, CommandDescriptor.MAJOR);
        to.putShort(CommandDescriptor.MINOR_AT, CommandDescriptor.MINOR);
        to.putInt(CommandDescriptor.RECORD_BYTES_AT, bytes);
        to.putInt(CommandDescriptor.ARGC_AT, argv.size());
        to.putInt(CommandDescriptor.ENVC_AT, env.size());
        to.putInt(CommandDescriptor.HAS_DIRECTORY_AT, directory.isPresent() ? 1 : 0);
        to.putInt(CommandDescriptor.GRACE_MILLIS_AT, Math.toIntExact(grace.toMillis()));
        to.putInt(CommandDescriptor.STREAM_KIB_AT, streamKib);
        to.position(CommandDescriptor.STRINGS_AT);
        strings.forEach(string -> to.put(string).put((byte) 0));
        return to.array();
    }

    private static List<byte[]> strings(List<String> argv, Map<String, String> env, Optional<String> directory)
            throws InvalidAssignmentException {
        List<byte[]> strings = new ArrayList<>(argv.size() + env.size() + 1);
        for (int i = 0; i < argv.size(); i++) {
            int index = i;
            strings.add(bytes(() -> "command[" + index + "]", argv.get(i)));
        }
        for (Map.Entry<String, String> variable : env.entrySet()) {
            if (variable.getKey().isEmpty() || variable.getKey().indexOf('=') >= 0) {
                throw new InvalidAssignmentException(
                        "env has a variable named \"" + variable.getKey() + "\": a name is not empty and has no =");
            }
            strings.add(bytes(() -> "env " + variable.getKey(), variable.getKey() + "=" + variable.getValue()));
        }
        if (directory.isPresent()) {
            strings.add(bytes(() -> "workingDir", directory.get()));
        }
        return strings;
    }

    /**
     * The string as the record has it.
     *
     * @param field names it in a fault
     */
    private static byte[] bytes(Supplier<String> field, String text) throws InvalidAssignmentException {
        if (text.indexOf(0) >= 0) {
            throw new InvalidAssignmentException(field.get() + " has a NUL character: no process can be given one");
        }
        try {
            return Texts.strictUtf8(text);
        } catch (CharacterCodingException e) {
            throw new InvalidAssignmentException(field.get() + " is not valid Unicode: it has half a surrogate pair");
        }
    }

    private static void requireCount(String field, int count, int least) throws InvalidAssignmentException {
        if (count < least || count > Command.MAX_STRINGS) {
            throw new InvalidAssignmentException(
                    field + " has " + count + " entries: allowed are " + least + " to " + Command.MAX_STRINGS);
        }
    }
}
