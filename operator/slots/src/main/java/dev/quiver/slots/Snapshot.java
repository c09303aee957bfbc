package dev.quiver.slots;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

import dev.quiver.slots.layout.BatchDescriptor;
import dev.quiver.slots.layout.ControlDescriptor;
import dev.quiver.slots.layout.ExecDescriptor;

/** Puts the packet together from copies of a slot's two records. Pure. */
final class Snapshot {
    private Snapshot() {}

    static Optional<Packet> of(byte[] control, byte[] exec, long now) {
        ByteBuffer ours = ByteBuffer.wrap(control).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer theirs = ByteBuffer.wrap(exec).order(ByteOrder.LITTLE_ENDIAN);
        long s = ours.getLong(ControlDescriptor.WORD);
        long u = theirs.getLong(ExecDescriptor.WORD);
        if (!(SlotRules.view(s, u) instanceof SlotView.Seen(SlotState state))) {
            return Optional.empty();
        }
        boolean reached = Words.generation(s) == Words.generation(u);
        boolean ended = reached && Words.stage(u).orElse(Stage.NONE) != Stage.RUNNING;
        long started = reached ? theirs.getLong(ExecDescriptor.STARTED) : 0;
        long until = ended ? theirs.getLong(ExecDescriptor.ENDED) : now;
        int nameLength = Math.clamp(ours.getInt(ControlDescriptor.NAME_LENGTH), 0, ControlDescriptor.NAME_BYTES);
        return Optional.of(new Packet(
                Texts.padded(control, ControlDescriptor.WORKER_ID, ControlDescriptor.ID_BYTES),
                HexFormat.of().formatHex(control, ControlDescriptor.TASK_HASH, ControlDescriptor.WORD),
                state,
                (int) Words.generation(s),
                ours.getInt(ControlDescriptor.TRIAL),
                ours.getInt(ControlDescriptor.ALLOWED),
                started,
                Duration.ofNanos(started == 0 ? 0 : Math.max(0, until - started)),
                ours.getInt(ControlDescriptor.KIND),
                ours.getInt(ControlDescriptor.FORMAT),
                ours.getLong(ControlDescriptor.IN_LENGTH),
                ended ? Reason.ofCode(theirs.getInt(ExecDescriptor.REASON)).orElse(Reason.NONE) : Reason.NONE,
                ended ? theirs.getInt(ExecDescriptor.EXIT) : 0,
                ended ? theirs.getInt(ExecDescriptor.SIGNAL) : 0,
                Texts.clean(Arrays.copyOfRange(control, ControlDescriptor.NAME, ControlDescriptor.NAME + nameLength))));
    }

    /** How far a running trial is, by the word of its own code. */
    static Progress progress(byte[] exec) {
        ByteBuffer theirs = ByteBuffer.wrap(exec).order(ByteOrder.LITTLE_ENDIAN);
        return new Progress(
                Math.max(0, theirs.getLong(ExecDescriptor.PROGRESS)),
                Math.max(0, theirs.getLong(ExecDescriptor.TOTAL)));
    }

    /** The same about a task of the batch. */
    static Packet at(Packet first, byte[] table, int task) {
        ByteBuffer from = ByteBuffer.wrap(table).order(ByteOrder.LITTLE_ENDIAN);
        int at = BatchDescriptor.entry(task);
        int hash = at + BatchDescriptor.TASK_HASH;
        int name = at + BatchDescriptor.NAME;
        int nameLength = Math.clamp(from.getInt(at + BatchDescriptor.NAME_LENGTH), 0, ControlDescriptor.NAME_BYTES);
        return new Packet(
                first.worker(),
                HexFormat.of().formatHex(table, hash, hash + ControlDescriptor.ID_BYTES),
                first.state(),
                first.generation(),
                from.getInt(at + BatchDescriptor.TRIAL),
                from.getInt(at + BatchDescriptor.ALLOWED),
                first.startedNanos(),
                first.elapsed(),
                first.kind(),
                from.getInt(at + BatchDescriptor.FORMAT),
                from.getLong(at + BatchDescriptor.IN_LENGTH),
                first.reason(),
                first.exitCode(),
                first.signal(),
                Texts.clean(Arrays.copyOfRange(table, name, name + nameLength)));
    }
}
