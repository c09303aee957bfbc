package dev.quiver.history.access;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;

import dev.quiver.history.kube.ApiServerException;
import dev.quiver.history.kube.KubernetesApi;

/**
 * Access as the API server decides it. A token is kept by its hash for 60 s, whether it is verified or false. A granted
 * right is kept for 30 s, a refused one for 5 s. The uid of a namespace is kept for 5 s, and for 30 s while the API
 * server does not answer. While it does not answer, nothing but the kept answers gives access. Requests for one answer
 * wait for one review.
 */
public final class ReviewedAccess implements Access, Writers {

    private static final Duration TOKEN = Duration.ofSeconds(60);
    private static final Duration GRANTED = Duration.ofSeconds(30);
    private static final Duration REFUSED = Duration.ofSeconds(5);
    private static final Duration LIVING = Duration.ofSeconds(5);
    private static final int MOST = 10_000;
    private static final int LONGEST_TOKEN = 12_000;
    private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

    private final Reviews reviews;
    private final FalseTokens falseTokens = new FalseTokens(System::nanoTime);

    /** By hash; absent for a token of nobody. */
    private final Answers<String, Optional<Caller>> callers = new Answers<>(
            Caffeine.newBuilder().maximumSize(MOST).expireAfterWrite(TOKEN).build());

    /** By hash; absent for a token of no pod. */
    private final Answers<String, Optional<Writer>> writers = new Answers<>(
            Caffeine.newBuilder().maximumSize(MOST).expireAfterWrite(TOKEN).build());

    private final Answers<Asked, Boolean> rights = new Answers<>(Caffeine.newBuilder()
            .maximumSize(MOST)
            .expireAfter(Expiry.<Asked, Boolean>writing((asked, granted) -> granted ? GRANTED : REFUSED))
            .build());

    /** The uid of a namespace by its name, asked again soon: a namespace may be made anew under its name. */
    private final Answers<String, Optional<String>> living = new Answers<>(
            Caffeine.newBuilder().maximumSize(MOST).expireAfterWrite(LIVING).build());

    /** The last known uids, for a time without the API server. */
    private final Cache<String, Optional<String>> lastLiving =
            Caffeine.newBuilder().maximumSize(MOST).expireAfterWrite(GRANTED).build();

    /** A question for an authorizer. */
    private record Asked(Caller caller, Right right) {}

    /** By the reviews of that API server. */
    public ReviewedAccess(KubernetesApi api) {
        reviews = new Reviews(api);
    }

    @Override
    public Caller caller(String token, InetAddress from) {
        checkShape(token);
        return callers.of(hash(token), hash -> review(token, from, reviews::caller))
                .orElseThrow(ReviewedAccess::unknown);
    }

    @Override
    public Writer writer(String token, InetAddress from) {
        checkShape(token);
        return writers.of(hash(token), hash -> review(token, from, reviews::writer))
                .orElseThrow(ReviewedAccess::unknown);
    }

    private static void checkShape(String token) {
        if (token.isEmpty() || token.length() > LONGEST_TOKEN || !token.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw unknown();
        }
    }

    private <T> Optional<T> review(String token, InetAddress from, Function<String, Optional<T>> question) {
        if (!falseTokens.take(from)) {
            throw new AccessException(
                    AccessException.Kind.TOO_MANY, "too many tokens of nobody; try again in a second");
        }
        boolean falseToken = false;
        try {
            Optional<T> found = question.apply(token);
            falseToken = found.isEmpty();
            return found;
        } catch (ApiServerException e) {
            throw away(e);
        } finally {
            if (!falseToken) {
                falseTokens.giveBack(from);
            }
        }
    }

    @Override
    public boolean may(Caller caller, Right right) {
        if (caller.readerOf().isPresent()) {
            return right.verb() != Right.Verb.DELETE
                    && right.namespace().equals(caller.readerOf().get());
        }
        return rights.of(new Asked(caller, right), asked -> {
            try {
                return reviews.may(asked.caller, asked.right);
            } catch (ApiServerException e) {
                throw away(e);
            }
        });
    }

    @Override
    public Optional<String> living(String namespace) {
        if (!NAMESPACE.matcher(namespace).matches()) {
            return Optional.empty(); // none has such a name, and none is asked for by it
        }
        return living.of(namespace, name -> {
            try {
                Optional<String> uid = reviews.namespaceUid(name);
                lastLiving.put(name, uid);
                return uid;
            } catch (ApiServerException e) {
                Optional<String> known = lastLiving.getIfPresent(name);
                if (known == null) {
                    throw away(e);
                }
                return known;
            }
        });
    }

    private static AccessException away(ApiServerException e) {
        return new AccessException(AccessException.Kind.AWAY, "callers cannot be verified: " + e.getMessage(), e);
    }

    private static AccessException unknown() {
        return new AccessException(
                AccessException.Kind.UNKNOWN, "the token is false, has expired, or is meant for another audience");
    }

    private static String hash(String token) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
