/** What the record of runs costs, how fast it is written, and how fast people and programs read it. */
package dev.quiver.bench.history;
