"""Runs again what failed in a TaskSet. It comes with onlyFailedOf of the TaskSet, which this release does not have."""

from quiver.cli.errors import CliError


def arguments(parser):
    parser.add_argument("run", metavar="RUN")


def run(parsed):
    raise CliError("retry comes with onlyFailedOf of the TaskSet, which this release does not have yet;"
                   f" kubectl quiver tasks {parsed.run} --status failed lists what failed")
