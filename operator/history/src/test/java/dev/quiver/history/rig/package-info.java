/** Real databases and entries for the tests of this module. */
package dev.quiver.history.rig;
