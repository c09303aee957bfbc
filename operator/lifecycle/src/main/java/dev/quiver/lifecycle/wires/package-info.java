/** The wires of other programs, and the frame that they share on the workers' side. */
package dev.quiver.lifecycle.wires;
