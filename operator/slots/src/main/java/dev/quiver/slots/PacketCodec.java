package dev.quiver.slots;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;

import dev.quiver.slots.layout.PacketDescriptor;

/** Turns packets into their 256 bytes and back. Pure; the C and Python codecs share its golden bytes. */
public final class PacketCodec {
    private PacketCodec() {}

    /** The packet's {@value PacketDescriptor#BYTES} bytes. Texts are cut at a character to what fits. */
    public static byte[] encode(Packet packet) {
        ByteBuffer to = ByteBuffer.allocate(PacketDescriptor.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        byte[] name = Texts.utf8(packet.name(), PacketDescriptor.NAME_BYTES);
        to.put(PacketDescriptor.WORKER, Texts.utf8(packet.worker(), 32));
        to.put(PacketDescriptor.TASK, HexFormat.of().parseHex(packet.taskHash()));
        to.put(PacketDescriptor.STATUS, (byte) packet.state().code());
        to.putInt(PacketDescriptor.GENERATION, packet.generation());
        to.putInt(PacketDescriptor.RETRY, packet.trial());
        to.putInt(PacketDescriptor.ALLOWED, packet.allowed());
        to.putLong(PacketDescriptor.TIME, packet.startedNanos());
        to.putLong(PacketDescriptor.ELAPSED, packet.elapsed().toNanos());
        to.putInt(PacketDescriptor.PAYLOAD, packet.kind());
        to.putInt(PacketDescriptor.FORMAT, packet.format());
        to.putLong(PacketDescriptor.LENGTH, packet.length());
        to.putInt(PacketDescriptor.REASON, packet.reason().code());
        to.putInt(PacketDescriptor.EXIT, packet.exitCode());
        to.putInt(PacketDescriptor.SIGNAL, packet.signal());
        to.putInt(PacketDescriptor.NAME_LENGTH, name.length);
        to.put(PacketDescriptor.NAME, name);
        return to.array();
    }

    /**
     * The packet of these bytes.
     *
     * @throws IllegalArgumentException when they are not {@value PacketDescriptor#BYTES} bytes of a packet
     */
    public static Packet decode(byte[] bytes) {
        if (bytes.length != PacketDescriptor.BYTES) {
            throw new IllegalArgumentException(
                    "a packet has " + PacketDescriptor.BYTES + " bytes, these are " + bytes.length);
        }
        ByteBuffer from = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int state = Byte.toUnsignedInt(bytes[PacketDescriptor.STATUS]);
        int reason = from.getInt(PacketDescriptor.REASON);
        int nameLength = from.getInt(PacketDescriptor.NAME_LENGTH);
        if (nameLength < 0 || nameLength > PacketDescriptor.NAME_BYTES) {
            throw new IllegalArgumentException(
                    "nameLength is " + nameLength + ": at most " + PacketDescriptor.NAME_BYTES + " are allowed");
        }
        return new Packet(
                Texts.padded(bytes, PacketDescriptor.WORKER, 32),
                HexFormat.of().formatHex(bytes, PacketDescriptor.TASK, PacketDescriptor.STATUS),
                SlotState.ofCode(state).orElseThrow(() -> new IllegalArgumentException("no state has number " + state)),
                from.getInt(PacketDescriptor.GENERATION),
                from.getInt(PacketDescriptor.RETRY),
                from.getInt(PacketDescriptor.ALLOWED),
                from.getLong(PacketDescriptor.TIME),
                Duration.ofNanos(from.getLong(PacketDescriptor.ELAPSED)),
                from.getInt(PacketDescriptor.PAYLOAD),
                from.getInt(PacketDescriptor.FORMAT),
                from.getLong(PacketDescriptor.LENGTH),
                Reason.ofCode(reason).orElseThrow(() -> new IllegalArgumentException("no reason has number " + reason)),
                from.getInt(PacketDescriptor.EXIT),
                from.getInt(PacketDescriptor.SIGNAL),
                new String(bytes, PacketDescriptor.NAME, nameLength, StandardCharsets.UTF_8));
    }
}
