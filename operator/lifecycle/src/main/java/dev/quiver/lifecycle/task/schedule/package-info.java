/** Schedules of Tasks on the operator's side. */
package dev.quiver.lifecycle.task.schedule;
