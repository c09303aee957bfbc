/**
 * The operator's program: settings, wiring, and the commands of {@code quiver-operator}. What it decides is in the
 * packages below; DESIGN.md beside this module says why it is built this way.
 */
package dev.quiver.controller;
