/** Texts of tenants on their way to people: no other package of this module is needed for them. */
package dev.quiver.lifecycle.text;
