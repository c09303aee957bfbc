package dev.quiver.history.web;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * Writes an archive with any number of small files, stored as they are. The directory at its end is kept deflated in a
 * temporary file, about 15 bytes a file. The JDK keeps its own in memory, a hundred bytes and more a file. Used by one
 * thread.
 */
final class ZipWriter implements AutoCloseable {

    private static final int LOCAL = 0x04034b50;
    private static final int CENTRAL = 0x02014b50;
    private static final int END = 0x06054b50;
    private static final int END_64 = 0x06064b50;
    private static final int LOCATOR_64 = 0x07064b50;
    private static final short VERSION = 45;
    private static final short UTF_8 = 1 << 11;
    /** 1 January 1980, the first day that there is: an archive of one run is the same at each time. */
    private static final short DAY = 33;

    private static final short EXTRA_64 = 1;
    private static final int FULL = 0xffff_ffff;
    private static final short MANY = (short) 0xffff;

    private final OutputStream out;
    private final Path spool;
    private final OutputStream directory;
    private long at;
    private long files;
    private long directoryBytes;

    /** To that stream, which stays open. */
    ZipWriter(OutputStream out) throws IOException {
        this.out = out;
        spool = Files.createTempFile("results", ".directory");
        directory = new BufferedOutputStream(new DeflaterOutputStream(Files.newOutputStream(spool)));
    }

    private static ByteBuffer bytes(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** A file of that name. */
    void add(String name, byte[] content) throws IOException {
        CRC32 crc = new CRC32();
        crc.update(content);
        byte[] called = name.getBytes(StandardCharsets.UTF_8);
        ByteBuffer head = bytes(30 + called.length).putInt(LOCAL).putShort(VERSION);
        about(head, crc, content.length, called.length).putShort((short) 0).put(called);
        ByteBuffer entry =
                bytes(46 + called.length + 12).putInt(CENTRAL).putShort(VERSION).putShort(VERSION);
        about(entry, crc, content.length, called.length).putShort((short) 12);
        // No comment, the first disk, no attributes; its place is in the extra field.
        entry.putShort((short) 0)
                .putShort((short) 0)
                .putShort((short) 0)
                .putInt(0)
                .putInt(FULL);
        entry.put(called).putShort(EXTRA_64).putShort((short) 8).putLong(at);
        out.write(head.array());
        out.write(content);
        directory.write(entry.array());
        at += head.capacity() + content.length;
        directoryBytes += entry.capacity();
        files++;
    }

    /** Flags, method 0, time and day, sum, both sizes, and how long the name is. */
    private static ByteBuffer about(ByteBuffer to, CRC32 crc, int size, int name) {
        return to.putShort(UTF_8)
                .putShort((short) 0)
                .putShort((short) 0)
                .putShort(DAY)
                .putInt((int) crc.getValue())
                .putInt(size)
                .putInt(size)
                .putShort((short) name);
    }

    /** Writes the directory: the archive is whole. */
    void finish() throws IOException {
        directory.close();
        try (InputStream entries = new BufferedInputStream(new InflaterInputStream(Files.newInputStream(spool)))) {
            entries.transferTo(out);
        }
        ByteBuffer end = bytes(56 + 20 + 22);
        end.putInt(END_64)
                .putLong(44)
                .putShort(VERSION)
                .putShort(VERSION)
                .putInt(0)
                .putInt(0);
        end.putLong(files).putLong(files).putLong(directoryBytes).putLong(at);
        end.putInt(LOCATOR_64).putInt(0).putLong(at + directoryBytes).putInt(1);
        end.putInt(END).putShort((short) 0).putShort((short) 0).putShort(MANY).putShort(MANY);
        end.putInt(FULL).putInt(FULL).putShort((short) 0);
        out.write(end.array());
    }

    @Override
    public void close() throws IOException {
        directory.close();
        Files.deleteIfExists(spool);
    }
}
