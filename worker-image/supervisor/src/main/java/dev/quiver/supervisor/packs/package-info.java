/** Large results on their way to history, beside Redis. */
package dev.quiver.supervisor.packs;
