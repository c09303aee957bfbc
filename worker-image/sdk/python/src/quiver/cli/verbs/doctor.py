"""Checks the installation as far as your rights reach: each line is ok, or names a remedy. Exit code 1 where one is amiss.

A line that begins with - is no fault: it is what you may not do or see.
"""

import email.utils

from quiver.cli import installation, kinds, program, release, text, times
from quiver.cli.errors import DONE, FAILED, NO_ANSWER, ApiError, CliError

_SKEW_SECONDS = 60
_STORE = {
    "Unreachable": "see to Redis: kubectl -n quiver-system get pods",
    "AccessDenied": "give the operator the right user and password in the Secret of Redis",
    "OutOfMemory": "raise maxmemory of Redis, or end runs",
    "EvictionAllowed": "set maxmemory-policy of Redis to noeviction",
    "Unsupported": "use Redis 7.0 or newer",
}
#: What is asked, whether each reader needs it, and its words: verb, group, resource, subresource, name.
_RIGHTS = (
    ("see runs and pools", True, ("list", "quiver.dev", "tasksets", "", "")),
    ("start and change runs", False, ("create", "quiver.dev", "tasksets", "", "")),
    ("drain worker pods", False, ("delete", "", "pods", "", "")),
    ("make a token for the record", False, ("create", "", "serviceaccounts", "token", "quiver-reader")),
)


def arguments(parser):
    installation.arguments(parser)
    program.output(parser)


def run(parsed):
    api = program.api(parsed)
    found = []
    for check in (_server, _definitions, _rights, _release, _pools, _record):
        try:
            found += check(api, parsed)
        except CliError as error:
            amiss = error.code == NO_ANSWER or check in (_server, _definitions)
            found.append(_said(False if amiss else None, check.__doc__, str(error)))
            if check is _server:
                break
    if parsed.output == "json":
        text.document({"items": found})
    else:
        for one in found:
            mark = {True: "ok", False: "AMISS", None: "-"}[one["ok"]]
            remedy = f". Remedy: {one['remedy']}" if one["remedy"] else ""
            text.wrapped(f"{one['check']}: {one['message']}{remedy}", f"{mark:<6} ")
    return FAILED if any(one["ok"] is False for one in found) else DONE


def _said(ok, check, message, remedy=""):
    return {"ok": ok, "check": check, "message": message, "remedy": remedy}


def _server(api, parsed):
    """API server"""
    version = api.get("/version").get("gitVersion")
    yield _said(True, "API server", f"Kubernetes {version} at {api.access.server}")
    try:
        there = email.utils.parsedate_to_datetime(api.date)
        skew = abs((times.now() - there).total_seconds())
    except (TypeError, ValueError):
        return
    yield _said(skew <= _SKEW_SECONDS, "clocks", f"this machine and the API server differ by {skew:.0f} s",
                "" if skew <= _SKEW_SECONDS else "set the clock of one of them: ages and credentials go by it")


def _definitions(api, parsed):
    """definitions"""
    try:
        there = {one["name"] for one in api.get(kinds.GROUP).get("resources") or ()}
    except ApiError as error:
        if error.status != 404:
            raise
        there = set()
    missing = [kind.plural for kind in kinds.ALL if kind.plural not in there]
    yield _said(not missing, "definitions", f"{', '.join(missing)} missing" if missing else "quiver.dev/v1alpha1 is served",
                "install the chart: helm upgrade --install quiver charts/quiver" if missing else "")


def _rights(api, parsed):
    """rights"""
    namespace, service = installation.history(parsed)
    asked = [*((words, needed, api.access.namespace, right) for words, needed, right in _RIGHTS),
             ("reach the record by the API server", False, namespace, ("get", "", "services", "proxy", f"https:{service}:8443"))]
    for words, needed, where, (verb, group, resource, sub, name) in asked:
        review = api.ask("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
            "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": {"resourceAttributes": {
                "namespace": where, "verb": verb, "group": group, "resource": resource, "subresource": sub, "name": name}}})
        allowed = bool((review.get("status") or {}).get("allowed"))
        right = f"{verb} {resource}{'/' + sub if sub else ''} {name}".strip()
        remedy = ""
        if not allowed:
            remedy = "the chart's history.readers" if sub == "proxy" else "the role view" if needed or sub else "the role edit"
        yield _said(allowed if needed or allowed else None, f"you may {words}" if allowed else f"you may not {words}",
                    f"{right} in {where}", remedy)


def _release(api, parsed):
    """versions"""
    namespace, _ = installation.history(parsed)
    there, here = installation.operator_version(api, namespace), release.version()
    near = _near(here, there)
    yield _said(near, "versions", f"plugin {here}, operator {there}",
                "" if near is not False else "use a plugin that is one minor release from the operator at most")


def _near(here, there):
    """Whether two releases are one minor apart at most; None where that cannot be told."""
    try:
        (major, minor), (other, its) = (tuple(map(int, text_.split(".")[:2])) for text_ in (here, there))
    except ValueError:
        return None
    return major == other and abs(minor - its) <= 1


def _pools(api, parsed):
    """pools"""
    found = kinds.selected(api, None, (kinds.WORKER_POOL,))
    if not found:
        yield _said(True, "pools", f"none in namespace {api.access.namespace}")
    for kind, pool in found:
        store, slots, ready = (kinds.condition(pool, type_) for type_ in ("StoreReachable", "SlotsIntact", "Ready"))
        label = kinds.label(kind, pool)
        if store.get("status") == "False":
            reason = store.get("reason", "")
            yield _said(False, label, f"the store is {reason}: {store.get('message', '')}", _STORE.get(reason, ""))
        elif slots.get("status") == "False":
            yield _said(False, label, slots.get("message", ""), "see what its container does with the slots' memory")
        elif not ready:
            yield _said(False, label, "no status", "see that the operator runs and watches this namespace")
        else:
            waits = ready.get("status") != "True" and ready.get("reason") not in ("ScalingUp", "RollingOut", "Suspended", "Deleting")
            yield _said(not waits, label, f"{ready.get('reason')}: {ready.get('message', '')}".rstrip(": "),
                        f"kubectl quiver status {label}" if waits else "")


def _record(api, parsed):
    """record"""
    from quiver.cli import record

    with record.named():
        about = record.opened(api, parsed).about()
    for field in ("trouble", "shortage"):
        if about.get(field):
            yield _said(False, "record", str(about[field]), "see operator/history/DESIGN.md")
    if about.get("ready") is False:
        yield _said(False, "record", "it is not ready", "kubectl -n quiver-system logs quiver-history-0")
    elif about.get("emptyDir"):
        yield _said(None, "record", f"{about.get('database')}; it ends with its pod: history.persistence.enabled keeps it")
    else:
        yield _said(True, "record", str(about.get("database")))
