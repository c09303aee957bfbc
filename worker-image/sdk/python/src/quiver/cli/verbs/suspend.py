"""Holds runs or pools: no task is given out, running ones are stopped and run again later, no trial is used."""

from quiver.cli import changes, kinds


def arguments(parser):
    changes.arguments(parser, "runs or pools")


def run(parsed):
    return changes.run(parsed, kinds.ALL, "suspend", "suspended", _suspend)


def _suspend(api, kind, namespace, name):
    changes.patch(api, kind, namespace, name, {"suspend": True})
