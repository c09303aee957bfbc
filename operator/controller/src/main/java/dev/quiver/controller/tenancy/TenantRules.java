package dev.quiver.controller.tenancy;

import java.util.ArrayList;
import java.util.List;

import dev.quiver.lifecycle.redis.RedisRights;

/** The ACL of a namespace's Redis user, with its password. Pure. */
public final class TenantRules {

    private TenantRules() {}

    public static List<String> of(String namespace, String password, boolean functions) {
        List<String> rules = new ArrayList<>(RedisRights.rules(namespace, functions));
        rules.add(">" + password);
        return rules;
    }
}
