/**
 * The operator's program: settings, wiring, and the commands of {@code quiver-operator}. Decisions are in the packages
 * below; this module's DESIGN.md gives the reasons of its structure.
 */
package dev.quiver.controller;
