/** The queries of the API: pages by key, each within one transaction. Knows SQL and nothing of HTTP. */
package dev.quiver.history.query;
