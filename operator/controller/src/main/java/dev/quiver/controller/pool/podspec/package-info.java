/** The parts of a worker pod, from the pool's template and ours; a pod that can never work is refused. No I/O. */
package dev.quiver.controller.pool.podspec;
