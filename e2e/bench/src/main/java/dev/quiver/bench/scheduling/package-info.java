/** Which Task of a pool goes first: what that costs, and what it is good for. */
package dev.quiver.bench.scheduling;
