/** Where tasks run: behind one interface, so that the engine works with real slots and with nothing at all. */
package dev.quiver.supervisor.execution;
