/** The few system calls that the JDK has no API for, by java.lang.foreign: futex, SCM_RIGHTS, seals, fallocate. */
package dev.quiver.slots.linux;
