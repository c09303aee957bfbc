package dev.quiver.lifecycle.redis;

import java.nio.charset.StandardCharsets;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;

/**
 * The arguments of a script call, encoded once when they are given. The library encodes each argument into a buffer of
 * its own, on the connection's thread, and a step has five for each task. The bytes on the wire are the same.
 */
final class ScriptArguments extends CommandArgs<String, String> {

    private static final int LONGEST_HEADER = 15; // $, ten digits, twice CR LF

    private final int count;
    private final byte[] wire;
    private int length;

    /**
     * Encodes them.
     *
     * @param script digest or name of a function
     */
    ScriptArguments(String script, String[] keys, String[] arguments) {
        super(StringCodec.UTF8);
        count = 2 + keys.length + arguments.length;
        byte[][] parts = new byte[count][];
        int at = 0;
        parts[at++] = bytes(script);
        parts[at++] = bytes(Integer.toString(keys.length));
        for (String key : keys) {
            parts[at++] = bytes(key);
        }
        for (String argument : arguments) {
            parts[at++] = BinaryText.is(argument) ? BinaryText.bytes(argument) : bytes(argument);
        }
        int most = 0;
        for (byte[] part : parts) {
            most += LONGEST_HEADER + part.length;
        }
        wire = new byte[most];
        for (byte[] part : parts) {
            put(part);
        }
        if (keys.length > 0) {
            addKey(keys[0]); // never encoded: a cluster finds the node by it
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void put(byte[] part) {
        wire[length++] = '$';
        putNumber(part.length);
        putLineEnd();
        System.arraycopy(part, 0, wire, length, part.length);
        length += part.length;
        putLineEnd();
    }

    private void putNumber(int number) {
        int digits = 1;
        for (int rest = number / 10; rest > 0; rest /= 10) {
            digits++;
        }
        int rest = number;
        for (int at = length + digits - 1; at >= length; at--) {
            wire[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += digits;
    }

    private void putLineEnd() {
        wire[length++] = '\r';
        wire[length++] = '\n';
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public void encode(ByteBuf to) {
        to.writeBytes(wire, 0, length);
    }
}
