"""What failed in a run by its record: exit code, signal, reason, the failed cases of a report, and the last lines of each
task's last trial."""

import fnmatch
import itertools

from quiver.cli import installation, program, record, text
from quiver.cli.errors import CliError

_LIMIT = 20
_FAILED = ("failed", "error", "timeout", "lost")
_WORDS = 1 << 16  # characters of the last lines


def arguments(parser):
    parser.add_argument("run", metavar="RUN", help="its name, or its uid")
    parser.add_argument("--status", choices=_FAILED, help="only those that ended so")
    parser.add_argument("--name", metavar="GLOB", help="only tasks whose name matches: * ? [a-z]")
    parser.add_argument("--lines", type=int, default=10, metavar="N", help="last lines of stderr for each; 10 without it")
    parser.add_argument("--limit", type=int, default=_LIMIT, metavar="N", help=f"{_LIMIT} without it; 0 is all")
    installation.arguments(parser)
    program.output(parser)


def run(parsed):
    if parsed.limit < 0 or parsed.lines < 0:
        raise CliError("--limit and --lines are 0 or more")
    api = program.api(parsed)
    namespace = api.access.namespace
    history, name = record.opened(api, parsed), record.run_name(parsed.run)
    with record.named():
        groups = history.failures(namespace, name)
        found = itertools.islice(_failed(history, namespace, name, parsed), parsed.limit or None)
        trials = (_last(history, namespace, name, task, parsed.lines) for task in found)
        if parsed.output == "json":
            text.document({"groups": groups, "items": list(trials)})
            return
        total = sum(group["tasks"] for group in groups)
        text.line(f"{name}: {total} failed" + (": " if groups else "")
                  + ", ".join(f"{group['tasks']} {group['reason']}" for group in groups))
        shown = 0
        for trial in trials:
            _print(trial)
            shown += 1
    if 0 < shown < total and shown == parsed.limit and not (parsed.status or parsed.name):
        text.note(f"{total - shown} more: --limit 0 shows all")


def _failed(history, namespace, name, parsed):
    for status in [parsed.status] if parsed.status else _FAILED:
        for task in history.tasks(namespace, name, status=status):
            if task.get("over", True) and (
                    parsed.name is None or fnmatch.fnmatchcase(str(task.get("name", "")), parsed.name)):
                yield task


def _last(history, namespace, name, task, lines):
    """The last trial of a task, with the end of what it printed."""
    trials = history.task_trials(namespace, name, task["task"])
    trial = trials[-1] if trials else {**task, "trial": task["trials"]}
    words = ""
    if lines and trial.get("stderr"):
        words = history.stderr(namespace, name, task["task"], trial["trial"], trial.get("copy"))
    if lines and not words.strip() and trial.get("stdout"):
        words = history.stdout(namespace, name, task["task"], trial["trial"], trial.get("copy"))
    found = {**trial, "lastLines": words[-_WORDS:].splitlines()[-lines:] if lines else []}
    if trial.get("failed"):
        cases = history.cases(namespace, name, task["task"], trial["trial"], trial.get("copy"))
        found["cases"] = [case for case in cases if case.get("status") in ("failed", "error")]
    return found


def _print(trial):
    ended = [trial.get("reason") or trial["status"]]
    ended += [f"exit code {trial['exitCode']}"] if "exitCode" in trial else []
    ended += [f"signal {trial['signal']}"] if "signal" in trial else []
    text.line(f"✗ {trial.get('name') or trial['task']}, trial {trial['trial']}: {', '.join(ended)}")
    cases = trial.get("cases", [])
    for case in cases:
        message = next(iter(str(case.get("message", "")).splitlines()), "")
        text.line(f"  ✗ {case.get('name', '')}" + (f": {message}" if message else ""))
    if cases and trial["failed"] > len(cases):
        text.line(f"  … {trial['failed'] - len(cases)} more cases failed")
    text.block("\n".join(trial["lastLines"]) or trial.get("message", ""))
