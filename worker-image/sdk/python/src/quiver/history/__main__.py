"""`python -m quiver.history`: lists namespaces and runs, and writes the trials of one run into a file."""

import argparse
import json
import os
import sys
from pathlib import Path

from quiver.history import files
from quiver.history.client import History
from quiver.history.errors import HistoryError, Unauthorized, Unavailable
from quiver.printable import printable

ADDRESS = "http://127.0.0.1:8080"

_TOKEN = "kubectl -n {} create token quiver-reader --audience read.history.quiver.dev"
_FORWARD = "kubectl -n quiver-system port-forward quiver-history-0 8080"
_RUN = ("createdAt", "kind", "status", "tasks", "failedCount", "name", "uid")


def main(arguments=None):
    parsed = _parser().parse_args(arguments)
    try:
        parsed.deed(_history(parsed), parsed)
    except Unauthorized as error:
        _fail(f"{error}\nA token is made by: {_TOKEN.format(parsed.namespace)}")
    except Unavailable as error:
        _fail(f"{parsed.address}: {error}" + (f"\nIs this running? {_FORWARD}" if error.status is None else ""))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads on, and the end has nothing to flush
        sys.exit(1)
    except (HistoryError, ValueError, ImportError, OSError) as error:
        _fail(error)
    except KeyboardInterrupt:
        sys.exit(130)


def _parser():
    parser = argparse.ArgumentParser(prog="python -m quiver.history", description="Reads the record of runs.")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--address", default=ADDRESS, help=f"of the history or its service proxy; {ADDRESS} without it")
    common.add_argument("--token-file", type=Path, help="a file with a token; $QUIVER_HISTORY_TOKEN without it")
    common.add_argument("--ca", help="a file with the certificates to be trusted")
    common.add_argument("--timeout", type=float, default=60, help="seconds that each wait for bytes may take; 60 without it")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    namespaces = commands.add_parser("namespaces", parents=[common], help="the namespaces that the token opens")
    namespaces.set_defaults(deed=_namespaces, namespace="NAMESPACE")
    runs = commands.add_parser("runs", parents=[common], help="the runs of a namespace, the newest first")
    runs.add_argument("namespace", metavar="NAMESPACE")
    for name in ("kind", "class", "status", "name"):
        runs.add_argument(f"--{name}", dest=f"of_{name}", help=f"only those of this {name}")
    runs.add_argument("--live", action="store_true", help="only those that are not over")
    runs.add_argument("--format", choices=("text", "ndjson"), default="text")
    runs.set_defaults(deed=_runs)
    trials = commands.add_parser("trials", parents=[common], help="all trials of a run")
    trials.add_argument("namespace", metavar="NAMESPACE")
    trials.add_argument("run", metavar="RUN", help="its uid, or its name")
    trials.add_argument("--format", choices=("csv", "ndjson", "arrow", "parquet"), default="csv")
    trials.add_argument("--out", metavar="FILE", help="the standard output without it")
    trials.set_defaults(deed=_trials)
    return parser


def _history(parsed):
    token = parsed.token_file or os.environ.get("QUIVER_HISTORY_TOKEN")
    if not token:
        raise ValueError(f"no token: --token-file or $QUIVER_HISTORY_TOKEN, made by: {_TOKEN.format(parsed.namespace)}")
    return History(parsed.address, token, ca=parsed.ca, timeout=parsed.timeout)


def _namespaces(history, _):
    found = history.namespaces()
    for each in found["items"]:
        print(printable(each["name"]))
    sys.stdout.flush()
    if found["more"]:
        print("quiver.history: more namespaces are on record than were looked at", file=sys.stderr)


def _runs(history, parsed):
    found = history.runs(parsed.namespace, kind=parsed.of_kind, class_=parsed.of_class, status=parsed.of_status,
                         name=parsed.of_name, live=parsed.live)
    if parsed.format == "text":
        print("\t".join(_RUN))
    for run in found:
        if parsed.format == "ndjson":
            print(json.dumps(run))
        else:
            print("\t".join(printable(str(run.get(field, ""))) for field in _RUN))
    sys.stdout.flush()


def _trials(history, parsed):
    if parsed.out is None and parsed.format == "parquet":
        raise ValueError("--out: parquet needs a file")
    if parsed.out is None and parsed.format == "arrow" and sys.stdout.isatty():
        raise ValueError("--out: arrow is not for a terminal")
    with files.sink(parsed.out) as out:
        if parsed.format in ("csv", "ndjson"):
            for block in history.export(parsed.namespace, parsed.run, parsed.format):
                out.write(block)
            return
        if parsed.format == "arrow":
            files.write_arrow(out, history.trial_batches(parsed.namespace, parsed.run))
        else:
            files.write_parquet(out, history.trial_batches(parsed.namespace, parsed.run))


def _fail(words):
    sys.exit("\n".join(f"quiver.history: {printable(line)}" for line in str(words).splitlines()))


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")  # a locale without a tenant's letters
    main()
