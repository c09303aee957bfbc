/** The stage of a worker pod and a message for people, from Kubernetes and Redis. No I/O. */
package dev.quiver.controller.pool.podstatus;
