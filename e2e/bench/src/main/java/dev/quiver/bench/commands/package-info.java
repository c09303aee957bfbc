/** Real work on a real cluster: commands as a TaskSet and as a batch/v1 Job; an example as handlers and as commands. */
package dev.quiver.bench.commands;
