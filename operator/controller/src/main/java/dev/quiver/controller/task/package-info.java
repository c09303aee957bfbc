/** The kind Task. In work: its trees can be made of a spec, and nothing reconciles it yet. */
package dev.quiver.controller.task;
