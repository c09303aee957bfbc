/** How many pods a pool should have for the work that waits. */
package dev.quiver.controller.pool.scaling;
