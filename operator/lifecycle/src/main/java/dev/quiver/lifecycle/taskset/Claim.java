package dev.quiver.lifecycle.taskset;

import java.util.Optional;

/**
 * A task that this session holds.
 *
 * @param uid the set
 * @param id the task's ordinal in the set
 * @param fence call number of the claim; with the session's id it is never used again
 * @param trial this run's number, from 1
 * @param place where the supervisor said it would go
 * @param payload of a fed set; absent for count and matrix
 */
public record Claim(String uid, long id, long fence, int trial, Place place, Optional<String> payload) {}
