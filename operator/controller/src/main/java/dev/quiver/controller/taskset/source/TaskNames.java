package dev.quiver.controller.taskset.source;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.OptionalInt;
import java.util.function.IntFunction;

/**
 * The names of a run's tasks while its source is read, so that two of one name are found. Only their hashes are kept, so a
 * million names take some 24 MB. A name whose hash is known is compared with the name of that task, which is asked for.
 */
final class TaskNames {

    private static final int FREE = -1;

    private final IntFunction<String> nameOf;
    private final MessageDigest digest = sha256();
    private long[] hashes = new long[64];
    private int[] tasks = new int[64];
    private int[] positions = new int[64];
    private int size;

    /**
     * Without a name.
     *
     * @param nameOf the name of a task that was added
     */
    TaskNames(IntFunction<String> nameOf) {
        this.nameOf = nameOf;
        Arrays.fill(tasks, FREE);
    }

    /**
     * Adds the name of the next task, from 0 on.
     *
     * @param position of the name in its source
     * @return position of the same name before; then it is not added
     */
    OptionalInt add(String name, int position) {
        if (size * 2 > tasks.length) {
            grow();
        }
        long hash = hash(name);
        int at = slot(hash);
        for (; tasks[at] != FREE; at = at + 1 & tasks.length - 1) {
            if (hashes[at] == hash && nameOf.apply(tasks[at]).equals(name)) {
                return OptionalInt.of(positions[tasks[at]]);
            }
        }
        hashes[at] = hash;
        tasks[at] = size;
        positions[size++] = position;
        return OptionalInt.empty();
    }

    private void grow() {
        long[] oldHashes = hashes;
        int[] oldTasks = tasks;
        hashes = new long[oldTasks.length * 2];
        tasks = new int[oldTasks.length * 2];
        positions = Arrays.copyOf(positions, tasks.length);
        Arrays.fill(tasks, FREE);
        for (int i = 0; i < oldTasks.length; i++) {
            if (oldTasks[i] != FREE) {
                int at = slot(oldHashes[i]);
                while (tasks[at] != FREE) {
                    at = at + 1 & tasks.length - 1;
                }
                hashes[at] = oldHashes[i];
                tasks[at] = oldTasks[i];
            }
        }
    }

    private int slot(long hash) {
        return (int) (hash >>> 32) & tasks.length - 1;
    }

    /** No tenant can choose names whose hashes are equal: then each new name would be compared with all of them. */
    private long hash(String name) {
        return ByteBuffer.wrap(digest.digest(name.getBytes(StandardCharsets.UTF_8)))
                .getLong();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
