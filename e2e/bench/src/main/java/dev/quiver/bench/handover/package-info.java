/** The cost of a hand-over: through the slots, a Unix-domain socket and a pipe, to C, Java and Python. */
package dev.quiver.bench.handover;
