"""Opens the page of the record, or of a run, in a browser: forwards a port and makes a token, until Ctrl-C."""

import atexit
import os
import sys
import tempfile
import time
from urllib.parse import quote

from quiver.cli import installation, program, record, text
from quiver.cli.errors import NO_ANSWER, ApiError, CliError

_HOURS = 8


def arguments(parser):
    parser.add_argument("run", nargs="?", metavar="RUN", help="the list of runs without it")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="of this machine; a free one without it")
    parser.add_argument("--no-browser", action="store_true", help="print the address alone")
    installation.arguments(parser)


def run(parsed):
    api = program.api(parsed)
    namespace, service = installation.history(parsed)
    try:
        token = record.reader_token(api, api.access.namespace, _HOURS * 3600)
    except ApiError as error:
        if error.status == 404:
            raise CliError(f"namespace {api.access.namespace} has no {record.READER}: it has had no pool and no run yet, or the"
                           " installation keeps no record") from None
        raise
    forwarding = record.Forwarding(parsed, namespace, service, parsed.port)
    address = f"http://127.0.0.1:{forwarding.port}/"
    view = f"/{quote(api.access.namespace)}" + (f"/runs/{quote(record.run_name(parsed.run))}" if parsed.run else "")
    text.note(f"open until Ctrl-C; the page asks before it takes the token, and goes on to {address}#{view}")
    target = f"{address}#token={token}&at={view}"
    if parsed.no_browser or not _browser(target):
        print(target, flush=True)
    while forwarding.lives():
        time.sleep(0.5)
    raise CliError("the forwarded port was closed: the record's pod may have ended", NO_ANSWER)


def _browser(address):
    """Starts a browser, by a file that nobody else may read: its arguments are for everybody on this machine to see."""
    if not any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")) and sys.platform != "darwin":
        return False
    import webbrowser

    handle, name = tempfile.mkstemp(prefix="quiver-", suffix=".html")
    atexit.register(os.unlink, name)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(f'<!doctype html><meta http-equiv="refresh" content="0; url={address}">')
    return webbrowser.open(f"file://{name}")
