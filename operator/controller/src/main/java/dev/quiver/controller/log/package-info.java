/** Lines of the log that show what tenants wrote as it is. Logback makes these classes, see logback.xml. */
package dev.quiver.controller.log;
