/** Memory and processor time of supervisor and operator, idle and under load. */
package dev.quiver.bench.footprint;
