/** Map-reduces: what a chunk costs, and how soon a job's next phase begins. */
package dev.quiver.bench.mapreduce;
