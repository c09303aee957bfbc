/** The cost of a dispatch: through the slots, a Unix-domain socket and a pipe, to C, Java and Python. */
package dev.quiver.bench.handover;
