/** The Redis that all contenders share, and the proxy that makes it farther away. */
package dev.quiver.bench.redis;
