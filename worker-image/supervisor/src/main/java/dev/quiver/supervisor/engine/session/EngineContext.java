package dev.quiver.supervisor.engine.session;

import java.util.function.Supplier;

import dev.quiver.supervisor.engine.slots.HeldBytes;
import dev.quiver.supervisor.engine.slots.Permits;
import dev.quiver.supervisor.engine.slots.SlotTable;
import dev.quiver.supervisor.engine.store.EngineStats;
import dev.quiver.supervisor.engine.store.StoreCalls;

/**
 * The parts that outlive a session: slots, permits, calls to Redis, counters, memory.
 *
 * @param slots who is in which slot
 * @param permits how many tasks may be claimed
 * @param calls calls to Redis
 * @param stats what is counted
 * @param log end of the process' log
 * @param memory what is held of tasks
 * @param packs takes results that are too large for a row
 * @param slowness how fast the pod is
 */
public record EngineContext(
        SlotTable slots,
        Permits permits,
        StoreCalls calls,
        EngineStats stats,
        Supplier<byte[]> log,
        HeldBytes memory,
        ResultPacks packs,
        Slowness slowness) {}
