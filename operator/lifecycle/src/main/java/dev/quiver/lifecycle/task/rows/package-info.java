/** Nodes, facts and results as Redis holds them: their text is written and read here. */
package dev.quiver.lifecycle.task.rows;
