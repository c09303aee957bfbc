package dev.quiver.controller.tenancy;

import dev.quiver.controller.store.StoreAdmin;
import dev.quiver.controller.store.StoreCalls;
import dev.quiver.controller.store.StoreWatch;

/**
 * What making users of Redis needs of it.
 *
 * @param admin makes and removes them
 * @param calls the frame of each call
 * @param watch a Redis that came back may have forgotten its users
 */
public record RedisUsers(StoreAdmin admin, StoreCalls calls, StoreWatch watch) {}
