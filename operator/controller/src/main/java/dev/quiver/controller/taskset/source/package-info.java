/** The sources of a TaskSet's tasks, read and checked. */
package dev.quiver.controller.taskset.source;
