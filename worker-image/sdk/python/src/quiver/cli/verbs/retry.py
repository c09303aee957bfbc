"""Runs again what failed in a TaskSet: makes one of the same specification with onlyFailedOf.

  kubectl quiver retry nightly

What was stopped or never ran is run, too. One with a schedule stands for its latest run. The new one waits for the end of
the other.
"""

from quiver.cli import kinds, program, text

_LONGEST = 28  # characters of the name that a made one begins with: the API server adds five to 40
_LEFT_OUT = ("schedule", "cancel", "suspend", "onlyFailedOf")


def arguments(parser):
    parser.add_argument("run", metavar="[tset/]NAME")
    parser.add_argument("--name", metavar="NEW", help="name of the new TaskSet; without it, one that begins with the old one")


def run(parsed):
    api = program.api(parsed)
    kind, found = kinds.find(api, parsed.run, (kinds.TASK_SET,))
    name = found["metadata"]["name"]
    made = api.ask("POST", kind.path(api.access.namespace), _again(found, name, parsed.name))
    over = kinds.condition(found, "Finished").get("status") == "True" or "schedule" in found["spec"]
    text.line(f"{kinds.label(kind, made)} made: what did not pass in {kinds.label(kind, found)}"
              + ("" if over else ", once that has ended"))


def _again(found, name, new):
    spec = {field: value for field, value in found["spec"].items() if field not in _LEFT_OUT}
    spec["onlyFailedOf"] = name
    if "schedule" in found["spec"]:
        spec.setdefault("taskSetClass", name)  # as its runs have it
    metadata = {"name": new} if new else {"generateName": f"{name[:_LONGEST]}-again-"}
    return {"apiVersion": found["apiVersion"], "kind": found["kind"], "metadata": metadata, "spec": spec}
