package dev.quiver.lifecycle.taskset;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.ScriptReply;

/** Claims as step and adopt answer them: {@code (id, place, trial, payload)} for each, up to the end of the reply. */
final class ClaimRows {

    private ClaimRows() {}

    /**
     * The claims of a reply.
     *
     * @param fence the call that claimed them
     * @param from where the first begins
     */
    static List<Claim> read(String uid, long fence, ScriptReply reply, int from) {
        List<Claim> claims = new ArrayList<>();
        for (int i = from; i + 3 < reply.size(); i += 4) {
            String payload = reply.text(i + 3);
            claims.add(new Claim(
                    uid,
                    Long.parseLong(reply.text(i)),
                    fence,
                    Math.toIntExact(reply.number(i + 2)),
                    Place.parse(reply.text(i + 1)),
                    payload.isEmpty() ? Optional.empty() : Optional.of(payload)));
        }
        return List.copyOf(claims);
    }
}
