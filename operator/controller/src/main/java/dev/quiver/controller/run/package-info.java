/**
 * What all kinds of run share: a run is finite work of any kind. Which runs changed in Redis, where their keys are,
 * which pool works for them, when they are looked at again, how long they take, what a person is told.
 */
package dev.quiver.controller.run;
