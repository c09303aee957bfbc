/** What one session answers for: its sources, steps, beats, the search for work, adoption. */
package dev.quiver.supervisor.engine.session;
