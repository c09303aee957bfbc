/**
 * The objects that the chart renders, without a cluster: {@link dev.quiver.e2e.chart.Helm} runs the real helm, and the
 * tests read the objects that come out.
 */
package dev.quiver.e2e.chart;
