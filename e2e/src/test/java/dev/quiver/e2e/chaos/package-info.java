/**
 * Everything is killed, again and again, while work of every kind goes on. The package has the accidents, those whom
 * they meet, and what must hold of each kind of work afterwards.
 */
package dev.quiver.e2e.chaos;
