/** What each namespace gets of Redis: its Secret, its user, and when both go. */
package dev.quiver.controller.tenancy;
