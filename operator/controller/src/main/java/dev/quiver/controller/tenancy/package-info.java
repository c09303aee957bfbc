/** Each namespace's access to Redis: its Secret, its user, and the end of both. */
package dev.quiver.controller.tenancy;
