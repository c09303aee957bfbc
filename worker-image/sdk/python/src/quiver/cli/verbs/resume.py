"""Lets suspended runs or pools go on."""

from quiver.cli import changes, kinds


def arguments(parser):
    changes.arguments(parser, "runs or pools")


def run(parsed):
    return changes.run(parsed, kinds.ALL, "resume", "resumed", _resume)


def _resume(api, kind, namespace, name):
    changes.patch(api, kind, namespace, name, {"suspend": False})
