"""How both clients reach Redis with redis-py."""

import re

from quiver.clients.exchange import Lost, Refusal

_SENTINEL = "redis-sentinel://"
_URL = re.compile(r"[a-z+-]+://[^/?#@]*(@[^/?#@]*)?([/?#][^@]*)?", re.IGNORECASE | re.DOTALL)


def connect(redis, sentinel, backoff, retry, url, options):
    """A client of redis-py that repeats nothing by itself; `redis` and the others are its modules, blocking or not."""
    given = {"retry": retry.Retry(backoff.NoBackoff(), 0), "socket_timeout": 10, "socket_connect_timeout": 5,
             "client_name": "quiver-client", **options}
    if not _URL.fullmatch(url):  # an error of a parser would show a part of the password
        raise ValueError("the URL of Redis cannot be read: its user and password must be percent-encoded: # is %23, % is "
                         "%25, / is %2F, : is %3A, ? is %3F and @ is %40")
    if not url.startswith(_SENTINEL):
        return redis.Redis.from_url(url, **given)
    from urllib.parse import parse_qs, unquote, urlsplit

    parts = urlsplit(url)
    info, _, hosts = parts.netloc.rpartition("@")
    user, _, password = info.rpartition(":")
    master = parts.fragment or parse_qs(parts.query).get("sentinelMasterId", [""])[0]
    found = [(host.rpartition(":")[0] or host, int(host.rpartition(":")[2] if ":" in host else 26379))
             for host in hosts.split(",")]
    if password:
        given["password"] = unquote(password)
    if user:
        given["username"] = unquote(user)
    return sentinel.Sentinel(found, socket_timeout=5).master_for(master, **given)


_CODES = {"NoPermissionError": "NOPERM", "ReadOnlyError": "READONLY", "OutOfMemoryError": "OOM",
          "BusyLoadingError": "LOADING", "ClusterDownError": "CLUSTERDOWN", "MasterDownError": "MASTERDOWN"}


def read(reply, errors):
    """A reply as an exchange takes it. redis-py takes the code out of a message whose class says it."""
    if not isinstance(reply, errors.RedisError):
        return reply
    if isinstance(reply, errors.AskError):  # MovedError is one, too
        return Refusal("NOTSUPPORTED this is a Redis Cluster, which this client does not know: use that for Java")
    text, code = str(reply), _CODES.get(type(reply).__name__, "")
    return Refusal(text if text.startswith(code) else f"{code} {text}")


def failure(error, errors):
    """What a call that raised means: a refusal, or it is raised that nothing is known."""
    if isinstance(error, errors.AuthenticationError):
        return Refusal(f"the user or the password is wrong: {error}")
    if isinstance(error, (errors.BusyLoadingError, errors.ResponseError)):
        return read(error, errors)
    raise Lost(str(error) or type(error).__name__) from error
