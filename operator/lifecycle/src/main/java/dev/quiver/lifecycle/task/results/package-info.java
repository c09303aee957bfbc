/** Results on the way out of Redis: by value, by reference, in pages, joined for folds. */
package dev.quiver.lifecycle.task.results;
