/** Where the tasks of a TaskSet come from, read and checked. */
package dev.quiver.controller.taskset.source;
