/** Connections to Redis, its errors, scripts and their replies. Knows no task. */
package dev.quiver.lifecycle.redis;
