/** The times of schedules. */
package dev.quiver.lifecycle.cron;
