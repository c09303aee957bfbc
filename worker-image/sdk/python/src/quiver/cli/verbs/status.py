"""Runs and pools: progress, rate, ETA, slots, the latest failures, and in one sentence why a run waits.

  kubectl quiver status                all of the namespace, a line for each
  kubectl quiver status specs -w       one, until it is finished
"""

import sys

from quiver.cli import kinds, program, state, text, times, why
from quiver.cli.errors import ApiError, CliError


def arguments(parser):
    parser.add_argument("name", nargs="?", metavar="[KIND/]NAME", help="one run or pool: tset/specs, wpool/shared or a name")
    parser.add_argument("-w", "--watch", action="store_true", help="a line for each change, until the run is finished")
    parser.add_argument("-A", "--all-namespaces", action="store_true", help="runs and pools of all namespaces")
    parser.add_argument("-l", "--selector", metavar="LABELS", help="only those with these labels")
    program.output(parser)


def run(parsed):
    if parsed.name and (parsed.all_namespaces or parsed.selector):
        raise CliError("a name goes with neither -A nor -l")
    if parsed.watch and (not parsed.name or parsed.output == "json"):
        raise CliError("-w watches one object, in text")
    api = program.api(parsed)
    if parsed.name is None:
        _all(api, parsed)
        return
    kind, found = kinds.find(api, parsed.name)
    if parsed.watch:
        found = watch(api, kind, found)
    if found is not None:
        _one(api, kind, found, parsed.output == "json")


def watch(api, kind, found):
    """A line for each change until a run is finished; answers its last state, None after its deletion."""
    _watched_row(_header(False))
    path = kind.path(found["metadata"]["namespace"])
    for seen in api.watched(path, found["metadata"]["name"], told=text.note):
        if seen is None:
            text.note(f"{kinds.label(kind, found)} was deleted")
            return None
        found, told = seen, state.summary(kind, seen)
        _watched_row(_row(told, False))
        if told["finished"]:
            break
    print()
    return found


_WIDE = (26, 13, 4, 8, 7, 6, 1)


def _watched_row(cells):
    text.line(" ".join(f"{text.printable(str(cell)):<{wide}}" for cell, wide in zip(cells, _WIDE)).rstrip())
    sys.stdout.flush()


def _all(api, parsed):
    found = kinds.selected(api, parsed.selector, kinds.ALL, parsed.all_namespaces)
    summaries = [state.summary(kind, one) for kind, one in found]
    if parsed.output == "json":
        text.document({"items": summaries})
        return
    if not summaries:
        text.note("no runs and no pools" + ("" if parsed.all_namespaces else f" in namespace {api.access.namespace}"))
        return
    text.table(_header(parsed.all_namespaces), [_row(told, parsed.all_namespaces) for told in summaries])


def _header(everywhere):
    return (*(("NAMESPACE",) if everywhere else ()), "NAME", "PROGRESS", "%", "RUNNING", "FAILED", "ETA", "STATE")


def _row(told, everywhere):
    short = next(kind.short for kind in kinds.ALL if kind.kind == told["kind"])
    name = f"{short}/{told['name']}"
    start = (told["namespace"], name) if everywhere else (name,)
    if told["kind"] == "WorkerPool":
        return (*start, f"{told['readyReplicas']}/{told['replicas']} pods", "", f"{told['busySlots']}/{told['slots']}", "", "",
                told["reason"])
    return (*start, told["progress"] or "", "" if told["percent"] is None else told["percent"],
            _number(told["running"]), _number(told["failedTasks"]), told["eta"] or "", told["reason"])


def _number(value):
    return "" if value is None else value


def _one(api, kind, found, as_json):
    told, sample, chain = state.summary(kind, found), state.failures(kind, found), why.waits(api, kind, found)
    pool = None if kind is kinds.WORKER_POOL else _pool(api, told)
    if as_json:
        text.document(told | {"failures": sample, "waits": chain, "why": why.sentence(chain),
                              "slots": (pool or told).get("slots"), "busySlots": (pool or told).get("busySlots")})
        return
    text.line(f"{kind.kind} {told['namespace']}/{told['name']}: {told['reason']}")
    if kind is kinds.WORKER_POOL:
        _fact("pods", f"{told['readyReplicas']} of {told['replicas']} ready"
              + (f", {told['drainingReplicas']} drain" if told["drainingReplicas"] else ""))
        _fact("slots", f"{told['busySlots']} of {told['slots']} busy")
    else:
        _run_facts(told, pool)
    if chain:
        _fact("why", why.sentence(chain))
    elif told["message"]:
        _fact("message", told["message"])
    print_failures(sample)


def _run_facts(told, pool):
    if told["progress"]:
        counts = [f"{told[name]} {words}" for name, words in (
            ("running", "running"), ("queued", "queued"), ("failedTasks", "failed")) if told.get(name)]
        share = "" if told["percent"] is None else f" ({told['percent']} %)"
        _fact("progress", ", ".join([told["progress"] + share, *counts]))
    if told["ratePerSecond"]:
        _fact("rate", f"{told['ratePerSecond']:.3g} tasks/s")
    start, end = times.parsed(told["startTime"]), times.parsed(told["completionTime"])
    if start:
        took = times.span(((end or times.now()) - start).total_seconds())
        _fact("time", f"took {took}, until {told['completionTime']}" if end else f"for {took}, since {told['startTime']}")
    if told["eta"] and not told["finished"]:
        at = told["estimatedCompletionTime"]
        _fact("ETA", told["eta"] + (f", {at}" if at else ""))
    if told["pool"] and not told["finished"]:
        slots = f", {pool['busySlots']} of {pool['slots']} slots busy" if pool else ""
        workers = f", {told['workers']} pods ready" if told.get("workers") else ""
        _fact("pool", told["pool"] + workers + slots)


def _pool(api, told):
    """The pool of a run, where it is there and the caller may see it."""
    if not told["pool"] or told["finished"]:
        return None
    try:
        return state.summary(kinds.WORKER_POOL, api.get(kinds.WORKER_POOL.path(told["namespace"], told["pool"])))
    except ApiError as error:
        if error.status in (403, 404):
            return None
        raise


def _fact(name, words):
    text.wrapped(words, f"  {name:<9} ")


def print_failures(sample):
    """Failed trials with their last words."""
    for one in sample:
        ended = [f"exit code {one['exitCode']}" if one["exitCode"] is not None else "",
                 f"signal {one['signal']}" if one["signal"] is not None else ""]
        trial = f", trial {one['trial']}" if one["trial"] else ""
        text.line(f"  ✗ {one['task']}{trial}: " + ", ".join(filter(None, [one["reason"] or "failed", *ended])))
        text.block(one["message"], "      ")
