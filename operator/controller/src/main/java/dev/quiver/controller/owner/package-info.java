/** One owner for each namespace: two installations may watch it, and one of them serves it. */
package dev.quiver.controller.owner;
