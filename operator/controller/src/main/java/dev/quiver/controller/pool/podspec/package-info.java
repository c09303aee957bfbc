/** What a worker pod is made of, from the pool's template and ours; what can never work is refused. No I/O. */
package dev.quiver.controller.pool.podspec;
