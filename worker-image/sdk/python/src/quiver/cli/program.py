"""The command line: which verb is meant, what all verbs take, and how each end becomes an exit code."""

import argparse
import importlib
import os
import sys

from quiver.cli.errors import FAILED, INTERRUPTED, REFUSED, CliError

#: Each verb with its one line of help. The module of its name below quiver.cli.verbs is imported when it is used.
VERBS = {
    "status": "runs and pools: progress, rate, ETA, failures, and why a run waits",
    "run": "applies a file, follows its runs, and ends with an exit code for a pipeline",
    "wait": "waits for the end of a run, with the same exit codes",
    "tasks": "the tasks of a run, by its record",
    "failures": "what failed in a run, with the last lines",
    "logs": "what one task printed; -f follows it while it runs",
    "results": "all trials of a run as JSON, NDJSON, CSV, JUnit or Parquet",
    "open": "the page of the record in a browser",
    "suspend": "holds runs or pools; running tasks run again later",
    "resume": "lets them go on",
    "cancel": "ends runs for good",
    "scale": "gives runs or pools another number of worker pods",
    "drain": "replaces a worker pod when its tasks have ended",
    "top": "pools by busy slots, what waits for them, which runs hold them, and resources",
    "doctor": "checks the installation and your rights; each line ok, or a remedy",
    "retry": "runs again what failed in a TaskSet",
    "undo": "undoes a Task by what its plans left for that, once",
    "version": "versions of the plugin, of the cluster and of Quiver there",
    "completion": "a script for bash, zsh or fish",
}
_WITH_VALUE = ("-n", "--namespace", "--context", "--kubeconfig", "--as")


def main(arguments=None):
    """Runs a verb and ends the process with its exit code."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a locale without a tenant's letters
        sys.stderr.reconfigure(errors="replace")
    try:
        code = _run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads on, and the end has nothing to flush
        code = FAILED
    except CliError as error:
        code = _told(error, error.code)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except OSError as error:
        code = _told(error, REFUSED)
    sys.exit(code or 0)


def _told(error, code):
    from quiver.cli import text

    try:
        text.note(" ".join(str(error).split()))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    return code


def _run(arguments):
    name, rest = split(arguments)
    if name is None:
        return _help(rest)
    if name == "__complete":
        from quiver.cli.verbs import completion

        return completion.candidates(rest)
    if name not in VERBS:
        raise CliError(f"there is no verb {name!r}; kubectl quiver --help lists them")
    verb = importlib.import_module(f"quiver.cli.verbs.{name}")
    parser = Parser(prog=f"kubectl quiver {name}", description=verb.__doc__, parents=[shared()],
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    verb.arguments(parser)
    parsed = parser.parse_args(rest)
    return verb.run(parsed)


def split(arguments):
    """The verb, which is the first word that is no flag of all verbs, and all other words."""
    at = 0
    while at < len(arguments) and arguments[at].startswith("-"):
        at += 2 if arguments[at] in _WITH_VALUE else 1
    if at >= len(arguments):
        return None, arguments
    return arguments[at], arguments[:at] + arguments[at + 1:]


def _help(arguments):
    print("kubectl quiver VERB: sees and steers the runs of Quiver.\n")
    for name, words in VERBS.items():
        print(f"  {name:<11} {words}")
    print("\nAll take --context, --kubeconfig, -n NAMESPACE. kubectl quiver VERB --help has the rest.")
    print("Exit codes: 0 done, 1 tasks failed, 2 cancelled or past its deadline, 3 refused, 4 no answer, 124 time-out.")
    return 0 if not arguments or arguments[0] in ("-h", "--help") else REFUSED


class Parser(argparse.ArgumentParser):
    """One whose refusals have the exit code of refusals."""

    def error(self, message):
        raise CliError(f"{message}; {self.prog} --help has the arguments")


def shared():
    """What all verbs take."""
    flags = argparse.ArgumentParser(add_help=False)
    group = flags.add_argument_group("cluster")
    group.add_argument("--context", metavar="NAME", help="context of the kubeconfig")
    group.add_argument("--kubeconfig", metavar="FILE", help="instead of $KUBECONFIG")
    group.add_argument("-n", "--namespace", metavar="NAME", help="instead of the context's namespace")
    group.add_argument("--as", dest="as_user", metavar="USER", help="whom to act for")
    return flags


def output(parser, *further):
    """The flag -o."""
    parser.add_argument("-o", "--output", choices=("text", "json", *further), default="text", help="text without it")


def api(parsed):
    """The API server that the flags name."""
    from quiver.cli.access import Access
    from quiver.cli.api import Api

    return Api(Access(parsed))


