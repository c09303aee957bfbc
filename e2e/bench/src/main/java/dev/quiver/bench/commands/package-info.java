/** Real commands on a real cluster, as a TaskSet and as a batch/v1 Job. */
package dev.quiver.bench.commands;
