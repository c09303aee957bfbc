/** No-op handler tasks a second, of the slots alone and with Redis. */
package dev.quiver.bench.calls;
