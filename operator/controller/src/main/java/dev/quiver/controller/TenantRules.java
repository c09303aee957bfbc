package dev.quiver.controller;

import java.util.ArrayList;
import java.util.List;

import dev.quiver.lifecycle.RedisRights;

/** The ACL of a namespace's Redis user, with its password. Pure. */
final class TenantRules {

    private TenantRules() {}

    static List<String> of(String namespace, String password) {
        List<String> rules = new ArrayList<>(RedisRights.rules(namespace));
        rules.add(">" + password);
        return rules;
    }
}
