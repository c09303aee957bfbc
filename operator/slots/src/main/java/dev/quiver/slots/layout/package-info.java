/** The bytes that both sides agree on: descriptors without behaviour, and the codecs that read and write them. */
package dev.quiver.slots.layout;
