/**
 * The operator's program: settings, wiring, and the commands of {@code quiver-operator}. Decisions are in the packages
 * below; DESIGN.md beside this module has the reasons of its structure.
 */
package dev.quiver.controller;
