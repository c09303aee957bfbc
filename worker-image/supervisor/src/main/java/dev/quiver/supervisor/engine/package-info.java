/**
 * Claiming, settling, leases and drain, decided by one thread; knows no environment, HTTP, pod or shared memory.
 *
 * <p>{@code Engine} is the loop; the classes beside it that decide are pure and take facts and the time.
 */
package dev.quiver.supervisor.engine;
