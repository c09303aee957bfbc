package dev.quiver.controller.tenancy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.history.stream.HistoryRights;
import dev.quiver.lifecycle.redis.CallRights;
import dev.quiver.lifecycle.redis.RedisRights;

/** The ACL of a namespace's Redis users, with their passwords. Pure. */
final class TenantRules {

    private TenantRules() {}

    static List<String> of(String namespace, String password, CallRights calls, Optional<String> grantedPrefix) {
        List<String> rules = new ArrayList<>(RedisRights.rules(namespace, calls, grantedPrefix));
        rules.add(">" + password);
        return rules;
    }

    /** The rules of the user of a namespace's programs, which calls functions or nothing. */
    static List<String> ofClient(String namespace, String password, CallRights calls) {
        List<String> rules = new ArrayList<>(RedisRights.clientRules(namespace, calls));
        rules.add(">" + password);
        return rules;
    }

    /** The rules of the user of history, which reads and trims the streams of all namespaces. */
    static List<String> ofHistory(String password, CallRights calls) {
        List<String> rules = new ArrayList<>(HistoryRights.rules(calls));
        rules.add(">" + password);
        return rules;
    }
}
