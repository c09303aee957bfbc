"""The versions of the plugin, of the cluster, and of Quiver there."""

from quiver.cli import installation, program, release, text
from quiver.cli.errors import ApiError


def arguments(parser):
    parser.add_argument("--client", action="store_true", help="the plugin's alone: no cluster is asked")
    installation.arguments(parser)
    program.output(parser)


def run(parsed):
    found = {"plugin": release.version()}
    if not parsed.client:
        api = program.api(parsed)
        found["kubernetes"] = str(api.get("/version").get("gitVersion"))
        namespace, _ = installation.history(parsed)
        try:
            found["quiver"] = installation.operator_version(api, namespace)
        except ApiError as error:
            found["quiver"] = None
            if parsed.output == "text":
                text.note(f"Quiver's own version is not to be seen: {error}")
    if parsed.output == "json":
        text.document(found)
        return
    for name, value in found.items():
        if value is not None:
            text.line(f"{name:<11} {value}")
