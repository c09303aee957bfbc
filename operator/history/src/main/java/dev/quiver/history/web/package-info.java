/**
 * The HTTP API over the record: routes, pages, errors as Status objects, exports in constant memory. A caller
 * sees what {@link dev.quiver.history.access.Access} grants.
 */
package dev.quiver.history.web;
