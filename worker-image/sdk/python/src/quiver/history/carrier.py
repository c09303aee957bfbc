"""Requests to the history over HTTP. One connection for each: nothing is shared, and no answer is asked for twice."""

import contextlib
import http.client
import ipaddress
import json
import os
import re
import ssl
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

from quiver.history.errors import HistoryError, Unavailable, of

BLOCK = 1 << 22  # bytes of an export that are in memory at a time

_PROXIED = re.compile(r"/api/v1/namespaces/[^/]+/(services|pods)/[^/]+/proxy(/|$)")
_LONGEST_WORDS = 300


class Carrier:
    """The way to a history. Threads may share it."""

    def __init__(self, address, token, api_token, ca, timeout):
        split = urlsplit(address)
        if split.scheme not in ("http", "https") or not split.hostname or split.query or split.fragment or split.username:
            raise ValueError(f"address: {address!r} is no address like http://127.0.0.1:8080 or https://HOST:8443")
        if split.scheme == "http" and not _is_loopback(split.hostname):
            raise ValueError(f"address: {address!r} would show the token to the network: http is for loopback alone")
        if split.scheme == "http" and ca is not None:
            raise ValueError(f"ca: {address!r} has no TLS")
        self._host, self._port = split.hostname, split.port
        self._base = split.path.rstrip("/")
        self._tls = ssl.create_default_context(cafile=ca) if split.scheme == "https" else None
        self._proxied = bool(_PROXIED.search(self._base))
        if api_token is not None and not (self._proxied and self._tls):
            raise ValueError("api_token: it is for a service proxy of the API server over https")
        self._token, self._api_token = token, api_token
        self._timeout = timeout

    def document(self, path, query=(), field=None):
        """The JSON object of an answer, or one field of it."""
        body, _ = self.whole(path, query)
        try:
            document = json.loads(body)
        except ValueError:
            document = None
        if not isinstance(document, dict) or field is not None and field not in document:
            raise self._malformed(path)
        return document if field is None else document[field]

    def pages(self, path, query):
        """The items of a list, page by page."""
        query = dict(query)
        while True:
            page = self.document(path, query.items())
            if "items" not in page:
                raise self._malformed(path)
            yield from page["items"]
            if "continue" not in page:
                return
            query["continue"] = page["continue"]

    def _malformed(self, path):
        words = f"{self._base}{path} does not answer as the API does: is this the address of a history?"
        return HistoryError(200, "Malformed", words)

    def whole(self, path, query=()):
        """The bytes of an answer, and their media type."""
        with self.open(path, query) as answer:
            return b"".join(blocks(answer)), answer.headers.get_content_type()

    @contextlib.contextmanager
    def open(self, path, query=()):
        """An answer of 200, for blocks(). Redirections are refused: they would take the token along."""
        headers = self._headers()
        connection = self._connection()
        try:
            with _named():
                query = urlencode(list(query))
                connection.request("GET", self._base + path + (f"?{query}" if query else ""), headers=headers)
                answer = connection.getresponse()
            if answer.status != 200:
                raise _error(answer)
            yield answer
        finally:
            connection.close()

    def _connection(self):
        if self._tls:
            return http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout, context=self._tls)
        return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)

    def _headers(self):
        """The API server's proxy strips Authorization, which is its own."""
        headers = {"Connection": "close"}
        if self._token is not None:
            token = _read("token", self._token)
            headers.update({"Quiver-Token": token} if self._proxied else {"Authorization": f"Bearer {token}"})
        if self._api_token is not None:
            headers["Authorization"] = f"Bearer {_read('api_token', self._api_token)}"
        return headers


def blocks(answer):
    """The body of an answer in blocks. An answer that broke off raises Unavailable, and never looks like a whole one."""
    while True:
        with _named():
            block = answer.read(BLOCK)
            if not block and answer.length:
                raise http.client.IncompleteRead(b"", answer.length)
        if not block:
            return
        yield block


def path(*names):
    """The path of these names below the API's root."""
    for name in names:
        if str(name) in ("", ".", ".."):
            raise ValueError(f"{name!r} is no name")
    return "/v1/" + "/".join(quote(str(name), safe="") for name in names)


@contextlib.contextmanager
def _named():
    """Failures of the network as the one error of this client."""
    try:
        yield
    except http.client.IncompleteRead:
        raise Unavailable(None, "BrokeOff", "the answer broke off") from None
    except (OSError, http.client.HTTPException) as error:
        raise Unavailable(None, "Unreachable", str(error) or type(error).__name__) from error


def _error(answer):
    with _named():
        body = answer.read(1 << 16)
    try:
        status = json.loads(body)
        return of(answer.status, str(status["reason"]), str(status["message"]))
    except (ValueError, TypeError, KeyError):
        words = " ".join(body.decode("utf-8", "replace").split())[:_LONGEST_WORDS]
        return of(answer.status, answer.reason or "Unknown", words or "the answer has no words")


def _is_loopback(host):
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _read(name, source):
    """A token as it is now: a mounted one is renewed within the hour."""
    if isinstance(source, os.PathLike):
        text = Path(source).read_text("utf-8")
    else:
        text = source() if callable(source) else source
    if not isinstance(text, str):
        raise TypeError(f"{name}: a text, a pathlib.Path or a function without arguments, not {type(text).__name__}")
    text = text.strip()
    if not text or text.startswith("/") or not re.fullmatch("[!-~]+", text):
        raise ValueError(f"{name}: that is no token; the name of a file is given as pathlib.Path")
    return text
