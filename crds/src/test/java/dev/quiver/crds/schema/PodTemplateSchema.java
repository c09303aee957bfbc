package dev.quiver.crds.schema;

import static dev.quiver.crds.schema.SchemaFinishing.mapBy;
import static dev.quiver.crds.schema.SchemaFinishing.property;

import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Bounds and rules of the pod template, the same in both kinds.
 *
 * <p>Each rule stands on the field it judges, so that the message has the field's path. An object that broke the rule
 * before the rule was there stays writable as long as that field is left alone. The API server estimates what a rule
 * costs from the bounds of what it walks over. Fields without a rule stay as Kubernetes has them and are judged when
 * the pod is created.
 */
final class PodTemplateSchema {
    private PodTemplateSchema() {}

    /** Changes the schema of a field of type PodTemplateSpec in place; its own description stays. */
    static void finish(ObjectNode template) {
        var description = template.path("description").asText();
        withoutDescriptions(template);
        template.put("description", description);
        template.putArray("required").add("spec");

        var metadata = property(template, "metadata");
        ((ObjectNode) metadata.get("properties")).retain("labels", "annotations");
        ofTheMetadata(metadata);

        var spec = property(template, "spec");
        ((ObjectNode) spec.get("properties")).remove("ephemeralContainers");
        spec.putArray("required").add("containers");
        containers(property(spec, "containers").put("minItems", 1));
        containers(property(spec, "initContainers"));
        volumes(property(spec, "volumes"));
        ofTheWorker(property(spec, "containers"));
        ofThePod(spec);
    }

    private static void containers(ObjectNode containers) {
        containers.put("maxItems", 16);
        mapBy(containers, "name");
        var container = items(containers);
        container.putArray("required").add("name");
        reservedName(property(container, "name"));

        var entry = items(property(container, "env").put("maxItems", 256));
        entry.putArray("required").add("name");
        rule(
                property(entry, "name").put("minLength", 1).put("maxLength", 253),
                "!self.startsWith('QUIVER_')",
                "names that begin with QUIVER_ are reserved: choose another name");
        notOurSecret(within(entry, "valueFrom", "secretKeyRef", "name"));

        var envFrom = items(property(container, "envFrom").put("maxItems", 32));
        notOurSecret(within(envFrom, "secretRef", "name"));

        var mount = items(property(container, "volumeMounts").put("maxItems", 64));
        mount.putArray("required").add("mountPath").add("name");
        reservedName(property(mount, "name"));
        property(mount, "mountPath").put("minLength", 1).put("maxLength", 1024);

        var port = items(property(container, "ports").put("maxItems", 64));
        rule(property(port, "containerPort"), "self != 9464", "9464 is the supervisor's port: choose another");
    }

    private static void volumes(ObjectNode volumes) {
        volumes.put("maxItems", 64);
        mapBy(volumes, "name");
        var volume = items(volumes);
        volume.putArray("required").add("name");
        reservedName(property(volume, "name"));
        notOurSecret(within(volume, "secret", "secretName"));
        rule(
                within(volume, "hostPath", "path").put("maxLength", 1024),
                "!self.matches('^/+(([.]|var|var/+lib|var/+lib/+kubelet(/.*)?|var/+run(/.*)?|run(/.*)?|proc(/.*)?)/*)?$') &&"
                        + " !self.contains('/./') && !self.contains('//')",
                "may not be /, /var, /var/lib, nor at or below /var/lib/kubelet, /run, /var/run or /proc, where the"
                        + " supervisor's Secret and memory lie; and must be written without // and /./");
        var sources = within(volume, "projected", "sources").put("maxItems", 16);
        notOurSecret(within(items(sources), "secret", "name"));
    }

    private static void reservedName(ObjectNode name) {
        name.put("minLength", 1).put("maxLength", 63);
        rule(name, "!self.startsWith('quiver-')", "names that begin with quiver- are reserved: choose another name");
    }

    private static void notOurSecret(ObjectNode name) {
        name.put("maxLength", 253);
        rule(name, "self != 'quiver-redis'", "may not be the Secret quiver-redis: only the supervisor may read it");
    }

    private static void ofTheWorker(ObjectNode containers) {
        rule(containers, "self.exists(c, c.name == 'worker')", "must have a container named worker: it runs the tasks");
        var worker = items(containers);
        rule(
                worker,
                "self.name != 'worker' || (has(self.image) && size(self.image) > 0)",
                "the container worker must name an image",
                ".image");
        for (var field : List.of("command", "args")) {
            rule(
                    worker,
                    "self.name != 'worker' || !has(self." + field + ")",
                    "the container worker must set neither command nor args: the operator sets them; what a task runs"
                            + " stands in the task's own command",
                    "." + field);
        }
        rule(
                worker,
                "self.name != 'worker' || !has(self.volumeMounts) || self.volumeMounts.all(m, m.mountPath != '/quiver'"
                        + " && !m.mountPath.startsWith('/quiver/'))",
                "the container worker may not mount anything at or below /quiver: the operator mounts its own there",
                ".volumeMounts");
    }

    private static void ofThePod(ObjectNode spec) {
        refuse(spec, "shareProcessNamespace", "tasks may not reach the supervisor's process");
        refuse(spec, "hostPID", "tasks may not reach the supervisor's process");
        refuse(
                spec,
                "hostNetwork",
                "the supervisor's port would be the node's, and what it says to Redis would pass where others listen");
        refuse(spec, "hostIPC", "tasks may not reach the memory of other processes");
        rule(
                property(spec, "restartPolicy").put("maxLength", 16),
                "self == 'Always'",
                "must be Always or absent: workers stay until the operator lets them go");
        rule(
                property(spec, "activeDeadlineSeconds"),
                "false",
                "must be absent: it would end workers in mid-task; a TaskSet has an activeDeadlineSeconds of its own");
        rule(
                property(spec, "terminationGracePeriodSeconds"),
                "false",
                "must be absent: set drainSeconds, from which the operator computes it");
    }

    private static void ofTheMetadata(ObjectNode metadata) {
        for (var field : List.of("labels", "annotations")) {
            rule(
                    property(metadata, field).put("maxProperties", 64),
                    "self.all(k, !k.startsWith('quiver.dev/'))",
                    "keys that begin with quiver.dev/ are reserved: choose another prefix");
        }
    }

    private static void refuse(ObjectNode spec, String flag, String why) {
        rule(property(spec, flag), "!self", "must be false or absent: " + why);
    }

    private static void rule(ObjectNode schema, String rule, String message) {
        schema.withArray("x-kubernetes-validations")
                .addObject()
                .put("rule", rule)
                .put("message", message);
    }

    private static void rule(ObjectNode schema, String rule, String message, String fieldPath) {
        rule(schema, rule, message);
        var rules = schema.withArray("x-kubernetes-validations");
        ((ObjectNode) rules.get(rules.size() - 1)).put("fieldPath", fieldPath);
    }

    private static ObjectNode items(ObjectNode list) {
        return (ObjectNode) list.get("items");
    }

    private static ObjectNode within(ObjectNode schema, String... path) {
        for (var name : path) {
            schema = property(schema, name);
        }
        return schema;
    }

    /** Takes upstream's descriptions out: they would make half of the YAML and are not ours. */
    static void withoutDescriptions(ObjectNode schema) {
        // A property may be called "description": only strings are descriptions.
        if (schema.path("description").isTextual()) {
            schema.remove("description");
        }
        for (var child : List.of("items", "additionalProperties")) {
            if (schema.path(child) instanceof ObjectNode node) {
                withoutDescriptions(node);
            }
        }
        for (JsonNode property : schema.path("properties")) {
            withoutDescriptions((ObjectNode) property);
        }
    }
}
