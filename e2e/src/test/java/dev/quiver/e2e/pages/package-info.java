/** The pages that people read: that it can be read, and that what it names is there. */
package dev.quiver.e2e.pages;
