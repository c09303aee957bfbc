/** The content of the images, checked without building them. */
package dev.quiver.e2e.images;
