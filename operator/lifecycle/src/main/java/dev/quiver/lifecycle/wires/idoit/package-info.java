/**
 * The second dialect of Tasks: the keys of npm's idoit 4.0.0 under a granted prefix, so that its programs and Quiver's
 * workers share queues. See DESIGN.md of the module, "Tasks of idoit".
 */
package dev.quiver.lifecycle.wires.idoit;
