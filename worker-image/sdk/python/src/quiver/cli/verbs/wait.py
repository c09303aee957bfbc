"""Waits for the end of a run.

Exit codes: 0 it succeeded, 1 tasks failed, 2 it was cancelled, deleted or past its deadline, 3 refused, 124 --timeout.
"""

import time

from quiver.cli import following, kinds, program, text, times


def arguments(parser):
    parser.add_argument("name", metavar="[KIND/]RUN")
    parser.add_argument("--timeout", metavar="TIME", help="90s, 15m, 2h; without it, however long it takes")
    parser.add_argument("-q", "--quiet", action="store_true", help="print how it ended alone")
    program.output(parser)


def run(parsed):
    deadline = None if parsed.timeout is None else time.monotonic() + times.duration(parsed.timeout)
    api = program.api(parsed)
    kind, found = kinds.find(api, parsed.name, kinds.RUNS)
    code, last = following.follow(api, kind, found, deadline, parsed.quiet or parsed.output == "json")
    if parsed.output == "json":
        from quiver.cli import state

        text.document({"exitCode": code, "run": last and state.summary(kind, last)})
    elif last is not None:
        following.last_words(kind, last)
    return code
