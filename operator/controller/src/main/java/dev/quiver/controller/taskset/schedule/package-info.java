/** TaskSets that are run again and again: each run is a TaskSet of its own. */
package dev.quiver.controller.taskset.schedule;
