/**
 * Handlers: functions with a name, in a process that stays alive, one for each slot of a worker pod. {@link
 * dev.quiver.sdk.Handlers#serve} is the way in. Needs the JDK and, at run time, the libquiver that $QUIVER_LIB names.
 */
package dev.quiver.sdk;
