/**
 * Callers and what they may read. TokenReview and SubjectAccessReview decide; their answers are kept for seconds. Knows
 * nothing of HTTP servers and of SQL.
 */
package dev.quiver.history.access;
