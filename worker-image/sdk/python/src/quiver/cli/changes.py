"""Verbs that change objects: which ones are meant, whether a person agrees, and one request for each."""

import sys

from quiver.cli import kinds, program, text
from quiver.cli.errors import DONE, CliError

MERGE = "application/merge-patch+json"


def arguments(parser, what):
    """Names or a selector, and the answer to the question that more than one object asks."""
    parser.add_argument("names", nargs="*", metavar="[KIND/]NAME", help=f"{what}, one or more")
    parser.add_argument("-l", "--selector", metavar="LABELS", help="all with these labels instead of names")
    parser.add_argument("-A", "--all-namespaces", action="store_true", help="with -l: those of all namespaces")
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask, though it is more than one")


def run(parsed, of, verb, done, change):
    """Changes what the arguments name by change(api, kind, namespace, name). `done` is printed behind each.

    One object that cannot be changed does not keep the others from it. The exit code is that of the last failure.
    """
    if bool(parsed.names) == bool(parsed.selector):
        raise CliError(f"{verb}: names, or -l with labels")
    if parsed.all_namespaces and not parsed.selector:
        raise CliError("-A goes with -l alone")
    api = program.api(parsed)
    if parsed.selector:
        meant = kinds.selected(api, parsed.selector, of, parsed.all_namespaces)
    else:
        meant = [kinds.find(api, name, of) for name in dict.fromkeys(parsed.names)]
    if not meant:
        raise CliError(f"no {' or '.join(kind.kind for kind in of)} has the labels {parsed.selector}")
    if len(meant) > 1 and not parsed.yes:
        _agreed(verb, meant)
    code = DONE
    for kind, found in meant:
        try:
            words = change(api, kind, found["metadata"]["namespace"], found["metadata"]["name"])
            text.line(f"{kinds.label(kind, found)} {words or done}")
        except CliError as error:
            text.note(f"{kinds.label(kind, found)}: {error}")
            code = error.code
    return code


def patch(api, kind, namespace, name, spec):
    """Merges fields into the specification of an object."""
    return api.ask("PATCH", kind.path(namespace, name), {"spec": spec}, media=MERGE)


def _agreed(verb, meant):
    """Asks a person. Without one there is no answer, so the flag is asked for."""
    if not sys.stdin.isatty():
        raise CliError(f"{verb} means {len(meant)} objects, and nobody can be asked: --yes agrees")
    for kind, found in meant[:20]:
        text.line(f"  {found['metadata']['namespace']}  {kinds.label(kind, found)}")
    if len(meant) > 20:
        text.line(f"  and {len(meant) - 20} more")
    if input(f"{verb} these {len(meant)}? [y/N] ").strip().lower() not in ("y", "yes"):
        raise CliError("nothing was changed")
