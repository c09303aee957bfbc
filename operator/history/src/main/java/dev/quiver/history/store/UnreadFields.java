package dev.quiver.history.store;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** An entry as it came, for a reader of later. Stateless. */
final class UnreadFields {

    private static final int MOST_BYTES = 64 * 1024;
    private static final int UID_BYTES = 64;

    private UnreadFields() {}

    /** Names and values, each with its length in four bytes before it; cut after 64 KiB. */
    static byte[] pack(List<byte[]> fields) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        for (byte[] field : fields) {
            if (packed.size() + field.length + Integer.BYTES > MOST_BYTES) {
                break;
            }
            packed.writeBytes(java.nio.ByteBuffer.allocate(Integer.BYTES)
                    .putInt(field.length)
                    .array());
            packed.writeBytes(field);
        }
        return packed.toByteArray();
    }

    /** The kind that it claims, a few letters at most. */
    static String kind(List<byte[]> fields) {
        return field(fields, 'k', 8).orElse("");
    }

    /** The run that it claims. */
    static Optional<String> uid(List<byte[]> fields) {
        return field(fields, 'u', UID_BYTES);
    }

    private static Optional<String> field(List<byte[]> fields, char name, int most) {
        for (int i = 0; i + 1 < fields.size(); i += 2) {
            byte[] value = fields.get(i + 1);
            if (fields.get(i).length == 1 && fields.get(i)[0] == name && value.length <= most) {
                return Optional.of(Rows.clean(new String(value, StandardCharsets.UTF_8)));
            }
        }
        return Optional.empty();
    }
}
