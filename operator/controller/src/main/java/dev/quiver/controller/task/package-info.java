/**
 * The kind Task: its tree in Redis, made of the spec and steered by it, and its status.
 */
package dev.quiver.controller.task;
