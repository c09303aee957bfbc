/**
 * Lines of the programs' logs that show what tenants wrote as it is. Operator and history name these classes in their
 * {@code logback.xml}, the supervisor in its code. Clients of this module need no Logback.
 */
package dev.quiver.lifecycle.log;
