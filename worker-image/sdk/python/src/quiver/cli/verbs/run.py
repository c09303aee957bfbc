"""Applies a file, follows the runs in it, prints their failures, and ends with an exit code for a pipeline.

  kubectl quiver run -f nightly.yaml --timeout 2h --junit report.xml

Exit codes: 0 all succeeded, 1 tasks failed, 2 cancelled, deleted or past its deadline, 3 refused, 4 the cluster does not
answer, 124 --timeout. Ctrl-C leaves the run going.
"""

import json
import subprocess
import sys
import time

from quiver.cli import access, following, installation, kinds, program, text, times
from quiver.cli.errors import DONE, CliError

_MOST = 16 << 20  # bytes of what kubectl answers


def arguments(parser):
    parser.add_argument("-f", "--filename", required=True, metavar="FILE", help="YAML or JSON; - is the standard input")
    parser.add_argument("--timeout", metavar="TIME", help="90s, 15m, 2h; without it, however long it takes")
    parser.add_argument("--junit", metavar="OUT", help="a file for the report of a run, by its record")
    parser.add_argument("-q", "--quiet", action="store_true", help="print how it ended alone")
    installation.arguments(parser)


def run(parsed):
    deadline = None if parsed.timeout is None else time.monotonic() + times.duration(parsed.timeout)
    api = program.api(parsed)
    given = sys.stdin.buffer.read() if parsed.filename == "-" else None
    documents = _documents(parsed, api, given)
    runs = [one for one in documents if _kind(one)]
    if not runs:
        raise CliError(f"{parsed.filename} has no {' or '.join(kind.kind for kind in kinds.RUNS)}")
    if parsed.junit and len(runs) > 1:
        raise CliError(f"--junit: {parsed.filename} has {len(runs)} runs, and a report is of one")
    for one in runs:
        _fresh(api, one)
    made = _made(parsed, api, documents)
    code = DONE
    for kind, found in made:
        code = max(code, _followed(api, parsed, kind, found, deadline))
    return code


def _followed(api, parsed, kind, found, deadline):
    code, last = following.follow(api, kind, found, deadline, parsed.quiet)
    if last is None:
        return code
    following.last_words(kind, last)
    if parsed.junit and kinds.condition(last, "Finished").get("status") == "True":
        from quiver.cli import record

        try:
            record.junit(api, parsed, last, parsed.junit)
        except CliError as error:
            text.note(f"--junit: {error}")
            return code or error.code
    return code


def _kind(document):
    group = str(document.get("apiVersion", "")).partition("/")[0]
    return next((kind for kind in kinds.RUNS if group == "quiver.dev" and kind.kind == document.get("kind")), None)


def _fresh(api, document):
    """A run that has ended would be told as the end of this one."""
    name = document["metadata"].get("name")
    kind = _kind(document)
    if not name:
        return
    try:
        found = api.get(kind.path(document["metadata"].get("namespace") or api.access.namespace, name))
    except CliError as error:
        if getattr(error, "status", None) == 404:
            return
        raise
    if kinds.condition(found, "Finished").get("status") == "True":
        raise CliError(f"{kind.short}/{name} is there and finished: delete it before, or use metadata.generateName")


def _documents(parsed, api, given):
    """What is in the file. kubectl reads YAML, and makes nothing."""
    return _kubectl(parsed, api, ["create", "--dry-run=client", "--validate=false", "-f", parsed.filename], given)


def _made(parsed, api, documents):
    """The runs as the API server has them, in the order of the file. All else in it comes with them."""
    found = []
    for document in documents:  # one by one: a name that is made needs create, and order matters to who reads it
        verb = ["apply"] if document["metadata"].get("name") else ["create"]
        made = _kubectl(parsed, api, [*verb, "-f", "-"], json.dumps(document).encode())
        kind = _kind(document)
        if kind:
            found += [(kind, one) for one in made]
    return found


def _kubectl(parsed, api, arguments, given):
    command = [*access.kubectl(parsed), "-n", api.access.namespace, *arguments, "-o", "json"]
    if parsed.as_user:
        command.append(f"--as={parsed.as_user}")
    process = access.started(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate(given if given is not None else b"")
    if process.returncode:
        words = " ".join(err.decode("utf-8", "replace").split())
        raise CliError(words.removeprefix("error: ")[:1000] if words else f"kubectl ended with {process.returncode}")
    return list(_parsed(out))


def _parsed(out):
    """The objects of several documents one behind the other, and of lists."""
    if len(out) > _MOST:
        raise CliError(f"the file has more than {_MOST >> 20} MiB")
    rest, decoder = out.decode("utf-8", "replace").strip(), json.JSONDecoder()
    while rest:
        try:
            document, end = decoder.raw_decode(rest)
        except ValueError:
            raise CliError("kubectl answers no JSON: is kubectl the real one?") from None
        yield from document.get("items") or [document] if document.get("kind") == "List" else [document]
        rest = rest[end:].lstrip()
