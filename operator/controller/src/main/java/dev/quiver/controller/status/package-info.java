/** The writing of a status: conditions whose times are kept, the budget of writes, the one write, Events after it. */
package dev.quiver.controller.status;
