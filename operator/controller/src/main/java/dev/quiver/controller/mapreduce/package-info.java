/** Map-reduce jobs: what is known of one, its next act, its status. A job is a tree of map, chunks and reduce. */
package dev.quiver.controller.mapreduce;
