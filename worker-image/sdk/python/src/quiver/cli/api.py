"""Requests to the API server. One connection is kept for those that follow each other."""

import contextlib
import http.client
import json
import re
import socket
import ssl
import time
from urllib.parse import quote, urlencode

from quiver.cli.errors import NO_ANSWER, ApiError, CliError

PAGE = 500  # objects of a page
MOST = 64 << 20  # bytes of an answer that is read into memory
_LONGEST_WORDS = 400
_WATCH_SECONDS = 30
_TURNS = 5  # a server that has no turn for a request (429) names a wait: so often, and no longer than so many seconds
_LONGEST_TURN = 5


class Api:
    """An API server as one caller sees it. Not for several threads."""

    def __init__(self, access, timeout=30.0):
        """timeout bounds each wait for bytes, in seconds."""
        self.access = access
        self.timeout = timeout
        self.date = None  # when the server says that it made its last answer
        self._kept = None

    def get(self, path, **query):
        return self.ask("GET", path, query=query)

    def pages(self, path, **query):
        """All objects of a list, a page at a time."""
        query["limit"] = PAGE
        while True:
            page = self.get(path, **query)
            yield from page.get("items") or ()
            query["continue"] = (page.get("metadata") or {}).get("continue")
            if not query["continue"]:
                return

    def ask(self, method, path, body=None, query=None, media="application/json"):
        """The document of an answer. Raises ApiError where it is a refusal, CliError where there is none."""
        data = None if body is None else json.dumps(body).encode()
        headers = {} if data is None else {"Content-Type": media}
        for left in reversed(range(_TURNS)):
            try:
                with self._answer(method, path, query, data, headers) as answer:
                    text = answer.read(MOST + 1)
                break
            except ApiError as error:
                if error.retry_after is None or not left:
                    raise
                time.sleep(min(error.retry_after, _LONGEST_TURN))
        if len(text) > MOST:
            raise CliError(f"{self.access.server} answers more than {MOST >> 20} MiB to {path}", NO_ANSWER)
        try:
            document = json.loads(text)
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise CliError(f"{self.access.server} does not answer as an API server does", NO_ANSWER)
        return document

    def lines(self, path, query, wait):
        """Iterates over the lines of an answer that goes on. Silence of `wait` seconds ends it."""
        with _named(self.access.server), contextlib.closing(self.connection(wait)) as connection:
            connection.request("GET", self._target(path, query), headers=self._headers())
            answer = connection.getresponse()
            if answer.status != 200:
                raise _refusal(answer)
            while True:
                try:
                    line = answer.readline(1 << 22)
                except socket.timeout:
                    return
                if not line:
                    return
                yield line

    def watched(self, path, name, deadline=None, told=lambda _: None):
        """Iterates over the states of one object, the present one first. None stands for its deletion, which is the last.

        Ends at the deadline, an instant of time.monotonic(). A server that is away is asked again after a growing wait,
        and `told` gets the words for it once. Refusals are raised.
        """
        pause, silent, seen = 1, False, None
        while deadline is None or time.monotonic() < deadline:
            try:
                found = self.get(f"{path}/{quote(name)}")
                if seen not in (None, found["metadata"]["uid"]):
                    yield None
                    return
                seen, pause, silent = found["metadata"]["uid"], 1, False
                yield found
                for state in self._changes(path, name, found["metadata"]["resourceVersion"], deadline):
                    yield state
                    if state is None:
                        return
            except ApiError as error:
                if error.status == 404 and seen is not None:
                    yield None
                    return
                if error.code != NO_ANSWER:
                    raise
                silent = silent or told(str(error)) or True
            except CliError as error:
                if error.code != NO_ANSWER or seen is None:
                    raise
                silent = silent or told(str(error)) or True
            else:
                continue
            time.sleep(pause if deadline is None else max(0.0, min(pause, deadline - time.monotonic())))
            pause = min(2 * pause, 10)

    def _changes(self, path, name, version, deadline):
        left = _WATCH_SECONDS if deadline is None else min(_WATCH_SECONDS, deadline - time.monotonic())
        if left <= 0:
            return
        query = {"watch": "1", "fieldSelector": f"metadata.name={name}", "resourceVersion": version,
                 "timeoutSeconds": max(1, int(left))}
        for line in self.lines(path, query, max(left, 0.1)):
            try:
                event = json.loads(line)
                kind, found = event["type"], event["object"]
            except (ValueError, KeyError, TypeError):
                raise CliError(f"{self.access.server} does not answer as an API server does", NO_ANSWER) from None
            if kind == "ERROR":
                return  # the version is too old: look again
            yield None if kind == "DELETED" else found

    def connection(self, timeout):
        """A new connection."""
        access = self.access
        if access.tls is None:
            return http.client.HTTPConnection(access.host, access.port, timeout=timeout)
        host, port = access.proxy or (access.host, access.port)
        connection = _Secured(host, port, timeout=timeout, context=access.tls)
        connection.server_name = access.server_name
        if access.proxy:
            connection.set_tunnel(access.host, access.port)
        return connection

    @contextlib.contextmanager
    def _answer(self, method, path, query, data, headers):
        """By the connection of before, if that is still there: a server may have closed it, and has then seen nothing."""
        with _named(self.access.server):
            answer = None
            if self._kept is not None and method == "GET":
                with contextlib.suppress(http.client.BadStatusLine, ConnectionError, ssl.SSLError):
                    answer = self._sent(method, path, query, data, headers)
            if answer is None:
                if self._kept is not None:
                    self._kept.close()
                self._kept = self.connection(self.timeout)
                answer = self._sent(method, path, query, data, headers)
            self.date = answer.headers.get("Date")
            if not 200 <= answer.status < 300:
                raise _refusal(answer)
            yield answer
            if not answer.isclosed():
                self._kept.close()
                self._kept = None

    def _sent(self, method, path, query, data, headers):
        self._kept.request(method, self._target(path, query), body=data, headers=self._headers() | headers)
        return self._kept.getresponse()

    def _headers(self):
        return self.access.headers | {"Accept": "application/json"}

    def _target(self, path, query):
        said = {name.rstrip("_"): value for name, value in (query or {}).items() if value is not None}
        return self.access.base + path + (f"?{urlencode(said)}" if said else "")


class _Secured(http.client.HTTPSConnection):
    """With a name of the certificate that may differ from the host."""

    server_name = ""

    def connect(self):
        http.client.HTTPConnection.connect(self)
        self.sock = self._context.wrap_socket(self.sock, server_hostname=self.server_name)


@contextlib.contextmanager
def _named(server):
    """Failures of the network in the words of a person."""
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        raise CliError(f"{server}: its certificate is not trusted: {error.verify_message}", NO_ANSWER) from None
    except socket.timeout:
        raise CliError(f"{server} does not answer: no byte in time", NO_ANSWER) from None
    except OSError as error:
        raise CliError(f"{server} does not answer: {error.strerror or error}", NO_ANSWER) from None
    except http.client.HTTPException as error:
        raise CliError(f"{server} does not answer as an API server does: {type(error).__name__}", NO_ANSWER) from None


def _refusal(answer):
    status, body = answer.status, answer.read(1 << 16)
    try:
        document = json.loads(body)
        reason, message = str(document["reason"]), str(document["message"])
    except (ValueError, TypeError, KeyError):
        reason = answer.reason or "Unknown"
        message = " ".join(body.decode("utf-8", "replace").split()) or f"HTTP {status}"
    message = message[:_LONGEST_WORDS]
    if status == 401:
        message = f"the cluster does not accept the credentials of this context, which may have expired: {message}"
    elif status == 403:
        message = f"the rights are not enough: {message}"
    wait = answer.headers.get("Retry-After", "")
    return ApiError(status, reason, message, int(wait) if status == 429 and re.fullmatch(r"\d{1,4}", wait) else None)
