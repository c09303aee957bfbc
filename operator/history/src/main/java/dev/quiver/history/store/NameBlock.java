package dev.quiver.history.store;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.MalformedEntryException;
import dev.quiver.lifecycle.history.Tails;
import dev.quiver.lifecycle.history.TestNames;

/**
 * Names of consecutive tasks: version, then the deflated names, each with its length before it. Beside them their 64-bit
 * hashes in the order of the tasks, by which two runs are compared. Stateless.
 */
public final class NameBlock {

    private static final byte VERSION = 1;
    private static final int MOST_BYTES = HistoryBounds.NAMES * (HistoryBounds.NAME_BYTES + 2);

    private NameBlock() {}

    static byte[] pack(List<String> names) {
        ByteArrayOutputStream plain = new ByteArrayOutputStream();
        for (String name : names) {
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            plain.write(bytes.length >>> 8);
            plain.write(bytes.length);
            plain.writeBytes(bytes);
        }
        byte[] deflated = Tails.pack(plain.toByteArray());
        byte[] packed = new byte[deflated.length + 1];
        packed[0] = VERSION;
        System.arraycopy(deflated, 0, packed, 1, deflated.length);
        return packed;
    }

    /** The names of a block. A newer block is a fault of the database: unchecked. */
    public static List<String> unpack(byte[] packed) {
        if (packed.length == 0 || packed[0] != VERSION) {
            throw new IllegalStateException("names of a version that is not known");
        }
        try {
            byte[] deflated = new byte[packed.length - 1];
            System.arraycopy(packed, 1, deflated, 0, deflated.length);
            ByteBuffer plain = ByteBuffer.wrap(Tails.unpack(deflated, MOST_BYTES));
            List<String> names = new ArrayList<>();
            while (plain.hasRemaining()) {
                byte[] name = new byte[Short.toUnsignedInt(plain.getShort())];
                plain.get(name);
                names.add(new String(name, StandardCharsets.UTF_8));
            }
            return names;
        } catch (MalformedEntryException e) {
            throw new IllegalStateException("names that cannot be read", e);
        }
    }

    static byte[] hashes(List<String> names) {
        ByteBuffer hashes = ByteBuffer.allocate(names.size() * Long.BYTES);
        names.forEach(name -> hashes.putLong(TestNames.hash(name)));
        return hashes.array();
    }
}
