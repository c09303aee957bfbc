/** Sources of numbered tasks. A source is a cursor and a queue of the tasks before it. */
package dev.quiver.lifecycle.ordinals;
