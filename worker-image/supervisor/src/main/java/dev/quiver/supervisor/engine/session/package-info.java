/** The duties of one session: its sources, steps, beats, the search for work, adoption. */
package dev.quiver.supervisor.engine.session;
