/** Quiver as a contender: its real supervisor process or board, real slots, executors and handlers that do nothing. */
package dev.quiver.bench.quiver;
