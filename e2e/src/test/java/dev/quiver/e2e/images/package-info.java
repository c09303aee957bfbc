/** What goes into the images, checked without building them. */
package dev.quiver.e2e.images;
