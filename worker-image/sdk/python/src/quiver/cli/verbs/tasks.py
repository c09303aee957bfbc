"""The tasks of a run by its record, each as its last trial left it: those that have one.

  kubectl quiver tasks specs --status failed --name 'spec/models/*'
"""

import fnmatch
import itertools

from quiver.cli import installation, program, record, text, times
from quiver.cli.errors import CliError

STATUSES = ("passed", "pending", "failed", "error", "timeout", "lost", "cancelled")
_LIMIT = 500


def arguments(parser):
    parser.add_argument("run", metavar="RUN", help="its name, or its uid")
    parser.add_argument("--status", choices=STATUSES)
    parser.add_argument("--name", metavar="GLOB", help="only tasks whose name matches: * ? [a-z]")
    parser.add_argument("--slowest", action="store_true", help="the longest first")
    parser.add_argument("--limit", type=int, default=_LIMIT, metavar="N", help=f"{_LIMIT} without it; 0 is all")
    installation.arguments(parser)
    program.output(parser, "ndjson")


def run(parsed):
    if parsed.status and parsed.slowest:
        raise CliError("--status goes without --slowest")
    if parsed.limit < 0:
        raise CliError(f"--limit: {parsed.limit} is below 0")
    api = program.api(parsed)
    history, name = record.opened(api, parsed), record.run_name(parsed.run)
    with record.named():
        found = history.tasks(api.access.namespace, name, status=parsed.status, order="slowest" if parsed.slowest else None)
        found = (task for task in found if _matches(task, parsed.name))
        if parsed.limit:
            found = itertools.islice(found, parsed.limit + 1)
        printed(found, parsed)


def printed(found, parsed):
    """Prints tasks in the wanted form, and a word where the limit left some out."""
    shown, more = (itertools.islice(found, parsed.limit) if parsed.limit else found), None
    if parsed.output == "ndjson":
        import json

        for task in shown:
            print(json.dumps(task))
    elif parsed.output == "json":
        text.document({"items": list(shown)})
    else:
        rows = [(task["task"], task.get("name", ""), task["status"], task["trials"], milliseconds(task.get("runMillis")),
                 task.get("reason", "")) for task in shown]
        if rows:
            text.table(("TASK", "NAME", "STATUS", "TRIALS", "TIME", "REASON"), rows)
        else:
            text.note("no such tasks on record")
    if parsed.limit:
        more = next(found, None)
    if more is not None:
        text.note(f"there are more than {parsed.limit} such tasks: --limit 0 shows all")


def milliseconds(value):
    """A run time for people; empty where it is not known."""
    if value is None:
        return ""
    return f"{value}ms" if value < 1000 else f"{value / 1000:.1f}s" if value < 60_000 else times.span(value // 1000)


def _matches(task, glob):
    return glob is None or fnmatch.fnmatchcase(str(task.get("name", "")), glob)
