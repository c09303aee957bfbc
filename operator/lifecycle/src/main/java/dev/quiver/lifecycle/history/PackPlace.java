package dev.quiver.lifecycle.history;

import java.util.Optional;

/**
 * The place of a result, or of all output of a stream: a member of a pack. Data of more than
 * {@link PackBody#MEMBER_BYTES} is all members of packs of one session with consecutive numbers. Each of these packs
 * but the last has {@link #SERIES_BYTES}, and each member but the last is full. So a row has its place before a byte of
 * the packs is made, and a reader finds any byte without the others.
 *
 * @param pack id of the pack, or the last of several, which is made last. Empty if the worker had no room, so that no
 *     pack will ever come
 * @param offset bytes before the member, before anything was deflated; 0 where there are several packs
 * @param length of all of it
 */
public record PackPlace(String pack, long offset, long length) {

    /** Bytes of a pack that is one of several, before they are deflated. A part of the format: never to be changed. */
    public static final int SERIES_BYTES = 2 << 20;

    /**
     * A member of a pack.
     *
     * @param pack id of the pack
     * @param offset bytes before the member within its pack
     * @param from bytes before the member within the whole
     */
    public record Member(String pack, long offset, long from) {}

    /** The place of a result or a stream that found no room. */
    public static PackPlace nowhere(long length) {
        return new PackPlace("", 0, length);
    }

    /** The place of a whole that takes {@link #packs(long)} packs, the first of which has that number. */
    public static PackPlace series(String session, long firstNumber, long length) {
        return new PackPlace(PackBody.id(session, firstNumber + packs(length) - 1), 0, length);
    }

    /** How many packs a whole of so many bytes takes that does not share one with others. */
    public static long packs(long length) {
        return (length + SERIES_BYTES - 1) / SERIES_BYTES;
    }

    /** Whether the worker had no room for it. */
    public boolean isNowhere() {
        return pack.isEmpty();
    }

    /** The member that has this byte; absent where the pack's id is none of a series. */
    public Optional<Member> member(long at) {
        if (length <= PackBody.MEMBER_BYTES) {
            return Optional.of(new Member(pack, offset, 0));
        }
        int slash = pack.lastIndexOf('/');
        if (slash < 0 || !pack.substring(slash + 1).matches("\\d{1,13}")) {
            return Optional.empty();
        }
        long from = at - at % PackBody.MEMBER_BYTES;
        long number = Long.parseLong(pack.substring(slash + 1)) - packs(length) + 1 + at / SERIES_BYTES;
        return Optional.of(new Member(PackBody.id(pack.substring(0, slash), number), from % SERIES_BYTES, from));
    }
}
