/** Workers of every kind of work: sessions, beats, claims, adoption, the reaper, pools. */
package dev.quiver.lifecycle.worker;
