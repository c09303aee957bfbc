/** The duties of one session: its sources, steps, heartbeats, the search for work, adoption. */
package dev.quiver.supervisor.engine.session;
