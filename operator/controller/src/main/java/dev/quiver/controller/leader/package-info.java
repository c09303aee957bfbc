/** Leadership: the Lease, and the term that fences every write to Redis. */
package dev.quiver.controller.leader;
