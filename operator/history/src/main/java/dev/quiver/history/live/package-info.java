/** What runs do now, and who works at them, by Redis. Knows nothing of SQL and HTTP. */
package dev.quiver.history.live;
