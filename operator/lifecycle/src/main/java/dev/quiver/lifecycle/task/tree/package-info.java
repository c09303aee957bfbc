/** Trees of Tasks for programs and for the operator: create, report, control, drop. */
package dev.quiver.lifecycle.task.tree;
