/** What a worker pod reports, through Kubernetes and through Redis, in stages and in words. No I/O. */
package dev.quiver.controller.pool.podstatus;
