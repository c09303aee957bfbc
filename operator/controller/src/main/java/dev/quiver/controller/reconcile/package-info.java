/** The parts that every reconciler gets, whatever its kind. */
package dev.quiver.controller.reconcile;
