package dev.quiver.bench.kube;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The API server's own count of the requests it answered ({@code apiserver_request_total}).
 *
 * @param byResource requests by resource, {@code tasksets/status} for those of a subresource
 */
public record RequestCount(Map<String, Long> byResource) {

    private static final Pattern LINE =
            Pattern.compile("^apiserver_request_total\\{([^}]*)} (\\S+)$", Pattern.MULTILINE);
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

    public RequestCount {
        byResource = Map.copyOf(byResource);
    }

    /** Reads the text of {@code /metrics}. Watches count when they end, as the API server counts them. */
    static RequestCount parse(String metrics) {
        Map<String, Long> counts = new HashMap<>();
        Matcher line = LINE.matcher(metrics);
        while (line.find()) {
            Map<String, String> labels = new HashMap<>();
            Matcher label = LABEL.matcher(line.group(1));
            while (label.find()) {
                labels.put(label.group(1), label.group(2));
            }
            String sub = labels.getOrDefault("subresource", "");
            String resource = labels.getOrDefault("resource", "") + (sub.isEmpty() ? "" : "/" + sub);
            counts.merge(resource, (long) Double.parseDouble(line.group(2)), Long::sum);
        }
        return new RequestCount(counts);
    }

    /** Requests since then for the resources whose name begins with one of these. */
    public long since(RequestCount before, String... resources) {
        long sum = 0;
        for (Map.Entry<String, Long> entry : byResource.entrySet()) {
            for (String resource : resources) {
                if (entry.getKey().equals(resource) || entry.getKey().startsWith(resource + "/")) {
                    sum += entry.getValue() - before.byResource.getOrDefault(entry.getKey(), 0L);
                }
            }
        }
        return sum;
    }
}
