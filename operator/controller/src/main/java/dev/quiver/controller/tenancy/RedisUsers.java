package dev.quiver.controller.tenancy;

import dev.quiver.controller.store.StoreAdmin;
import dev.quiver.controller.store.StoreCalls;
import dev.quiver.controller.store.StoreWatch;

/**
 * The parts of Redis that are needed to make its users.
 *
 * @param admin makes and removes them
 * @param calls the frame of each call
 * @param watch a Redis that came back may have forgotten its users
 */
public record RedisUsers(StoreAdmin admin, StoreCalls calls, StoreWatch watch) {}
