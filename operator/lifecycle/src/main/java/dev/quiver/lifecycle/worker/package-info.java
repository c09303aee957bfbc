/** Workers of every kind of work: sessions, heartbeats, claims, adoption, the reaper, pools. */
package dev.quiver.lifecycle.worker;
