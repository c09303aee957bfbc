/** What supervisor and operator take when nothing happens, and when much does. */
package dev.quiver.bench.footprint;
