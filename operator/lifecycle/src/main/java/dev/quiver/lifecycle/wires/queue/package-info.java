/** Map-reduce jobs of other programs under a granted prefix: their keys as these programs have them. */
package dev.quiver.lifecycle.wires.queue;
