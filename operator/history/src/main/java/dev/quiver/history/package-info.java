/** The record of runs: persisted from Redis' streams into SQL, and read over HTTP. See DESIGN.md. */
package dev.quiver.history;
