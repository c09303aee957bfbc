"""Where Quiver is installed in the cluster, and what a caller can see of it."""

import os

from quiver.cli.errors import ApiError, CliError

HISTORY = "quiver-system/quiver-history"
_OPERATOR = "app.kubernetes.io/name=quiver,app.kubernetes.io/component=operator"


def arguments(parser):
    """The flag that names the record's service."""
    parser.add_argument("--history", metavar="NAMESPACE/SERVICE", default=os.environ.get("QUIVER_HISTORY_SERVICE") or HISTORY,
                        help=f"where the record is; $QUIVER_HISTORY_SERVICE, or {HISTORY} without it")


def history(parsed):
    """Namespace and Service of the record."""
    namespace, slash, service = parsed.history.partition("/")
    if not slash or not namespace or not service or "/" in service:
        raise CliError(f"--history: {parsed.history!r} is no NAMESPACE/SERVICE like {HISTORY}")
    return namespace, service


def operator_version(api, namespace):
    """The release that the operator says it is. Raises ApiError where the caller may not see it."""
    found = api.get(f"/apis/apps/v1/namespaces/{namespace}/deployments", labelSelector=_OPERATOR).get("items") or ()
    for deployment in found:
        return (deployment["metadata"].get("labels") or {}).get("app.kubernetes.io/version") or "unknown"
    raise ApiError(404, "NotFound", f"there is no operator in namespace {namespace}")
