/** What every reconciler is handed, whatever its kind. */
package dev.quiver.controller.reconcile;
