"""The record of runs, reached by the API server's proxy to its Service, or by a port that kubectl forwards."""

import atexit
import contextlib
import re
import select
import signal
import subprocess
import sys
import threading
import time
from urllib.parse import quote

from quiver.cli import access, installation, kinds
from quiver.cli.errors import NO_ANSWER, ApiError, CliError
from quiver.history import Forbidden, History, HistoryError, NotFound, Unauthorized, Unavailable
from quiver.history.carrier import Carrier

READER = "quiver-reader"
AUDIENCE = "read.history.quiver.dev"
_TOKEN_SECONDS = 3600
_FORWARD_SECONDS = 20
_PORT = re.compile(rb"127\.0\.0\.1:(\d+)")
_END_SECONDS = 30  # the end of a run is on record some seconds after its status


class _Proxied(Carrier):
    """By the API server, with the caller's own connection to it. The record's token is a header of its own there."""

    def __init__(self, api, namespace, service, token):
        path = f"/api/v1/namespaces/{quote(namespace, safe='')}/services/https:{quote(service, safe='')}:8443/proxy"
        self._api, self._base, self._token = api, api.access.base + path, token

    def _connection(self):
        return self._api.connection(60)

    def _headers(self):
        return {"Connection": "close", **self._api.access.headers, **({"Quiver-Token": self._token} if self._token else {})}


def reader_token(api, namespace, seconds=_TOKEN_SECONDS):
    """A token that reads the record of one namespace. Raises ApiError where it has no reader, or the caller may not."""
    path = f"/api/v1/namespaces/{quote(namespace, safe='')}/serviceaccounts/{READER}/token"
    asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
             "spec": {"audiences": [AUDIENCE], "expirationSeconds": seconds}}
    return api.ask("POST", path, asked)["status"]["token"]


def opened(api, parsed):
    """The record, by the first way that the caller may go. A way that is open and without answer is not gone around."""
    namespace, service = installation.history(parsed)
    token = _token(api)
    history = History.over(_Proxied(api, namespace, service, token))
    try:
        history.about()
        return history
    except Forbidden as error:
        if "services/proxy" not in error.message:
            raise _told(error) from None
    except HistoryError as error:
        raise _absent(error, namespace, service) from None
    try:
        port = Forwarding(parsed, namespace, service).port
    except CliError as error:
        raise CliError(f"you may reach the record neither by get services/proxy of https:{service}:8443 in {namespace}, which"
                       f" the chart's history.readers gives, nor by a forwarded port: {error}", error.code) from None
    return History(f"http://127.0.0.1:{port}", token)


def _token(api):
    try:
        return reader_token(api, api.access.namespace)
    except ApiError as error:
        if error.status not in (403, 404):
            raise
        if api.access.bearer:
            return api.access.bearer  # the record asks the API server what its owner may read
        if error.status == 404:
            raise CliError(f"namespace {api.access.namespace} has no {READER}: it has had no pool and no run yet, or the"
                           " installation keeps no record") from None
        raise


class Forwarding:
    """A port of this machine that leads to the record's page, until it is closed or this process ends."""

    def __init__(self, parsed, namespace, service, port=0):
        """port 0 is a free one. Raises CliError where kubectl forwards none."""
        command = [*access.kubectl(parsed), "-n", namespace, "port-forward", f"{service}-0", f"{port or ''}:8080"]
        if parsed.as_user:
            command.append(f"--as={parsed.as_user}")
        self._process = access.started(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        atexit.register(self.close)
        for end in (signal.SIGTERM, signal.SIGHUP):  # so that kubectl ends with this one, and files of a token with it
            signal.signal(end, lambda number, _: sys.exit(128 + number))
        self.port = self._listening(time.monotonic() + _FORWARD_SECONDS)
        # kubectl writes a line for each connection. It would stand still once a pipe that nobody reads is full.
        for stream in (self._process.stdout, self._process.stderr):
            threading.Thread(target=_drain, args=(stream,), daemon=True).start()

    def _listening(self, deadline):
        out = self._process.stdout
        while time.monotonic() < deadline:
            ready, _, _ = select.select([out], [], [], max(0.0, deadline - time.monotonic()))
            line = out.readline() if ready else b""
            found = _PORT.search(line)
            if found:
                return int(found[1])
            if ready and not line:
                break
        self.close()
        words = " ".join(self._process.stderr.read().decode("utf-8", "replace").split())[:400]
        if not words:
            raise CliError(f"kubectl port-forward says nothing for {_FORWARD_SECONDS} s", NO_ANSWER)
        raise CliError(f"kubectl port-forward: {words.removeprefix('error: ').removeprefix('Error from server ')}")

    def lives(self):
        return self._process.poll() is None

    def close(self):
        with contextlib.suppress(OSError):
            self._process.terminate()
        self._process.wait()


def _drain(stream):
    with contextlib.suppress(OSError, ValueError):
        while stream.read1(1 << 16):
            pass


def run_name(said):
    """The name or uid of RUN, of which the kind may stand before it."""
    _, name = kinds.split(said, kinds.RUNS)
    return name


@contextlib.contextmanager
def named():
    """Refusals of the record in the words of a person."""
    try:
        yield
    except HistoryError as error:
        raise _told(error) from None


def junit(api, parsed, found, out):
    """Writes the report of a run that has ended, once its end is on record."""
    from quiver.history.files import sink

    history = opened(api, parsed)
    namespace, uid = found["metadata"]["namespace"], found["metadata"]["uid"]
    deadline = time.monotonic() + _END_SECONDS
    with named():
        while True:
            try:
                if history.run(namespace, uid).get("status"):
                    break
                words = "the end of the run is not on record"
            except NotFound as error:
                words = error.message
            if time.monotonic() >= deadline:
                raise CliError(f"{words} after {_END_SECONDS} s", NO_ANSWER)
            time.sleep(0.5)
        with sink(out) as file:
            for block in history.export(namespace, uid, "junit"):
                file.write(block)


def _absent(error, namespace, service):
    if isinstance(error, NotFound) and "services" in error.message:
        return CliError(f"there is no record: {error.message} in {namespace}. --history names another place")
    if isinstance(error, Unavailable) and "no endpoints" in error.message:
        return CliError(f"the record {namespace}/{service} is not ready: {error.message}", NO_ANSWER)
    return _told(error)


def _told(error):
    if isinstance(error, Unauthorized):
        return CliError(f"the record does not accept the token: {error.message}")
    if isinstance(error, (Forbidden, NotFound)):
        return CliError(error.message)
    return CliError(f"the record does not answer: {error.message}", NO_ANSWER)
