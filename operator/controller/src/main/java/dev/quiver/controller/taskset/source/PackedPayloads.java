package dev.quiver.controller.taskset.source;

import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.RandomAccess;

/**
 * The payloads of many tasks as one array of bytes. A million strings would take three times the memory, which this process
 * does not have. Each call makes a string anew. Not thread-safe while it grows.
 */
final class PackedPayloads extends AbstractList<String> implements RandomAccess {

    private byte[] bytes = new byte[1024];
    private int[] ends = new int[64];
    private int size;

    /**
     * Appends one.
     *
     * @throws IllegalArgumentException where all would have more than 2 GiB
     */
    @Override
    public boolean add(String payload) {
        byte[] more = payload.getBytes(StandardCharsets.UTF_8);
        int from = end(size);
        int to;
        try {
            to = Math.addExact(from, more.length);
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("the tasks have more than 2 GiB in all", e);
        }
        if (to > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 16L, Math.max(to, bytes.length * 3L / 2)));
        }
        if (size == ends.length) {
            ends = Arrays.copyOf(ends, ends.length * 3 / 2);
        }
        System.arraycopy(more, 0, bytes, from, more.length);
        ends[size++] = to;
        return true;
    }

    private int end(int count) {
        return count == 0 ? 0 : ends[count - 1];
    }

    @Override
    public String get(int index) {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException(index);
        }
        int from = end(index);
        return new String(bytes, from, ends[index] - from, StandardCharsets.UTF_8);
    }

    @Override
    public int size() {
        return size;
    }
}
