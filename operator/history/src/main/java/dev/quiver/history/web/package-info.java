/**
 * The HTTP API over the record: routes, pages, errors as Status objects, exports in constant memory. It asks nobody who
 * a caller is, so it listens on loopback alone until it does.
 */
package dev.quiver.history.web;
