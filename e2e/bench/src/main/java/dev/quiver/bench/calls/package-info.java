/** No-op handler tasks a second: what the slots alone let through, and what Redis makes of it. */
package dev.quiver.bench.calls;
