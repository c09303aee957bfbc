/** The certificate of a server, read from PEM files and read again when they change. Knows nothing of ours. */
package dev.quiver.history.tls;
