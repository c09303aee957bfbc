/** Results on the way out of Redis: by value, by reference, in pages, joined for combines. */
package dev.quiver.lifecycle.task.results;
