"""Ends runs for good. Their objects and their record stay."""

from quiver.cli import changes, kinds


def arguments(parser):
    changes.arguments(parser, "runs")


def run(parsed):
    return changes.run(parsed, kinds.RUNS, "cancel", "cancelled", _cancel)


def _cancel(api, kind, namespace, name):
    found = api.get(kind.path(namespace, name))
    if kinds.condition(found, "Finished").get("status") == "True":
        return "is finished already"
    changes.patch(api, kind, namespace, name, {"cancel": True})
    return None
