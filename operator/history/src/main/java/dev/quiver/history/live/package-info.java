/** What runs do now, by the counters of Redis. Knows nothing of SQL and HTTP. */
package dev.quiver.history.live;
