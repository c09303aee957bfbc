package dev.quiver.supervisor.engine;

/**
 * What outlives a session: where tasks run, how many may come, the way to Redis, the counters.
 *
 * @param slots who is in which slot
 * @param places how many tasks may be claimed
 * @param calls calls to Redis
 * @param stats what is counted
 */
record Floor(SlotTable slots, Places places, StoreCalls calls, EngineStats stats) {}
