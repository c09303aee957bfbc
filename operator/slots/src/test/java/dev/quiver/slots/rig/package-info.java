/** The real agent over volumes in memory, child processes and patience: for the tests of slots, SDK and supervisor. */
package dev.quiver.slots.rig;
