/** Quiver as a contender: its real supervisor process, real slots, an executor that does nothing. */
package dev.quiver.bench.quiver;
