package dev.quiver.lifecycle.history;

import java.util.ArrayList;
import java.util.List;

/**
 * The data that a worker sends to history apart from the stream. It has results of trials of one run that are too large
 * for their rows, and all that trials printed. A member is one of these, or a part of one, deflated by itself. Its
 * place is the number of bytes before it, before anything was deflated, so a row has its place before the pack is made.
 * The first byte is the version of the format.
 */
public final class PackBody {

    /** Bytes of all members together, before they are deflated. */
    public static final int UNPACKED_BYTES = 4 << 20;

    /** Bytes of a member before it is deflated. */
    public static final int MEMBER_BYTES = 256 << 10;

    /** Members of a pack. */
    public static final int MEMBERS = UNPACKED_BYTES / HistoryBounds.RESULT_BYTES;

    /** Bytes of a body: what cannot be deflated grows a little. */
    public static final int BODY_BYTES = UNPACKED_BYTES + (64 << 10);

    /** Largest number of a pack of one session. */
    public static final long NUMBER = 1L << 40;

    private static final int VERSION = 1;
    private static final int PACKED_MEMBER_BYTES = MEMBER_BYTES + (1 << 10);

    private final ByteWriter writer;

    /** Without a member. */
    public PackBody() {
        writer = new ByteWriter(1 << 16).put(VERSION);
    }

    /**
     * A result, or output, in a pack.
     *
     * @param format of the bytes
     * @param length of the bytes
     * @param packed the bytes as {@link Tails#pack(byte[])} deflates them
     */
    public record Member(ResultFormat format, int length, byte[] packed) {

        /**
         * The bytes.
         *
         * @throws MalformedEntryException for what is no deflated data, or has another length
         */
        public byte[] bytes() throws MalformedEntryException {
            byte[] bytes = Tails.unpack(packed, length);
            if (bytes.length != length) {
                throw new MalformedEntryException("a member has " + bytes.length + " bytes, not " + length);
            }
            return bytes;
        }
    }

    /** The id by which a row names a pack. */
    public static String id(String session, long number) {
        return session + "/" + number;
    }

    /** Appends a member, deflated. The caller keeps the bounds. */
    public PackBody add(ResultFormat format, byte[] bytes) {
        writer.put(format.ordinal()).number(bytes.length).bytes(Tails.pack(bytes));
        return this;
    }

    /** The body so far. */
    public byte[] encode() {
        return writer.toBytes();
    }

    /**
     * The members of a body, in their order. They are not inflated.
     *
     * @throws MalformedEntryException for what is no pack, or beyond the bounds
     */
    public static List<Member> read(byte[] body) throws MalformedEntryException {
        if (body.length > BODY_BYTES) {
            throw new MalformedEntryException("a pack of " + body.length + " bytes, at most " + BODY_BYTES);
        }
        ByteReader reader = new ByteReader(body);
        reader.version(VERSION, "a pack");
        List<Member> members = new ArrayList<>();
        int unpacked = 0;
        while (!reader.atEnd()) {
            if (members.size() == MEMBERS) {
                throw new MalformedEntryException("a pack has more than " + MEMBERS + " members");
            }
            ResultFormat format = ResultFormat.of(reader.octet());
            int length = reader.count(MEMBER_BYTES, "the length of a member");
            if (length == 0) {
                throw new MalformedEntryException("a member has no byte");
            }
            members.add(new Member(format, length, reader.bytes(PACKED_MEMBER_BYTES, "a member")));
            unpacked += length;
            if (unpacked > UNPACKED_BYTES) {
                throw new MalformedEntryException("a pack holds more than " + UNPACKED_BYTES + " bytes");
            }
        }
        return members;
    }
}
