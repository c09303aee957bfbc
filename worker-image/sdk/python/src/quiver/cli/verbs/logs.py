"""What one task printed: by the record, or with -f while it runs from the log of its pod. Without a task, what was decided
of the run's trials, and when.

  kubectl quiver logs specs
  kubectl quiver logs specs spec/models/user.rb
  kubectl quiver logs specs 17 --trial 1
"""

import itertools
import sys
import time

from quiver.cli import installation, livelog, program, record, text
from quiver.cli.errors import REFUSED, CliError
from quiver.history import NotFound

_SOON_SECONDS = 30


def arguments(parser):
    parser.add_argument("run", metavar="RUN", help="its name, or its uid")
    parser.add_argument("task", metavar="TASK", nargs="?", help="its name, or its number; the log of the run without it")
    parser.add_argument("--trial", type=int, metavar="N", help="from 1; the last one without it")
    parser.add_argument("--stream", choices=("stdout", "stderr", "both"), default="both")
    parser.add_argument("-f", "--follow", action="store_true", help="while it runs, print what it prints")
    installation.arguments(parser)


def run(parsed):
    if parsed.trial is not None and (parsed.trial < 1 or parsed.follow):
        raise CliError("--trial is from 1, and -f follows the present one")
    if parsed.task is None and (parsed.trial is not None or parsed.follow):
        raise CliError("--trial and -f need a task")
    api = program.api(parsed)
    namespace = api.access.namespace
    history, name = record.opened(api, parsed), record.run_name(parsed.run)
    with record.named():
        if parsed.task is None:
            text.block(history.run_log(namespace, name), "")
            return
        # What was made a moment ago is on record, and among the tasks of a worker, some moments later.
        until = time.monotonic() + (_SOON_SECONDS if parsed.follow else 0)
        run_ = _soon(until, lambda: history.run(namespace, name))
        task, known = _soon(until, lambda: _task(history, namespace, run_["uid"], parsed.task))
        if parsed.follow and not run_.get("status"):
            livelog.follow(api, history, run_["uid"], task, known)
        trial = _trial(history, namespace, run_["uid"], task, parsed.trial)
        if trial is None:
            raise CliError(f"task {parsed.task!r} has no record yet: -f follows it while it runs")
        if not parsed.follow or run_.get("status"):
            _print(history, namespace, run_["uid"], trial, parsed.stream)


def _soon(until, ask):
    """An answer that may not be there yet."""
    while True:
        try:
            return ask()
        except (NotFound, CliError) as error:
            if isinstance(error, CliError) and error.code != REFUSED or time.monotonic() >= until:
                raise
        time.sleep(1)


def _task(history, namespace, run, said):
    """Number and name of a task. A number that is somebody's name is the name."""
    same = [task for task in _named(history, namespace, run, said) if task.get("name") == said]
    if len(same) > 1:
        raise CliError(f"{len(same)} tasks have the name {said!r}: "
                       f"{', '.join(str(task['task']) for task in same[:8])}; say the number")
    if same:
        return same[0]["task"], said
    if not said.isdigit():
        for worker in _roster(history, namespace, run):
            for task in worker["tasks"]:
                if task.get("name") == said:
                    return task["task"], said
        raise CliError(f"the record has no task {said!r} of this run")
    return int(said), None


def _named(history, namespace, run, said):
    return itertools.islice(history.tasks(namespace, run, q=said), 2000)


def _roster(history, namespace, run):
    try:
        yield from history.roster(namespace, run)
    except NotFound:
        return


def _trial(history, namespace, run, task, wanted):
    """The wanted trial, the last one without; None where the task has none."""
    try:
        trials = history.task_trials(namespace, run, task)
    except NotFound:
        trials = []
    if wanted is None:
        return trials[-1] if trials else None
    same = [trial for trial in trials if trial["trial"] == wanted]
    if not same:
        there = ", ".join(str(trial["trial"]) for trial in trials[:20]) or "none"
        raise CliError(f"the record has no trial {wanted} of this task; it has {there}")
    return same[-1]


def _print(history, namespace, run, trial, wanted):
    for stream in ("stdout", "stderr") if wanted == "both" else (wanted,):
        place = (namespace, run, trial["task"], trial["trial"])
        if trial.get(f"{stream}FullBytes"):
            blocks = history.printed(*place, stream, trial.get("copy"))
        elif trial.get(stream):
            blocks = iter([getattr(history, stream)(*place, trial.get("copy")).encode()])
        else:
            continue
        _written(blocks)
    if trial.get("outputCut"):
        text.note("tails of this trial were left out for want of room")


def _written(blocks):
    """To a program as it is; to a terminal line by line, so that nothing in it moves the cursor."""
    if not sys.stdout.isatty():
        sys.stdout.flush()
        for block in blocks:
            sys.stdout.buffer.write(block)
        sys.stdout.buffer.flush()
        return
    rest = b""
    for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        for one in lines:
            livelog.line(one)
        if len(rest) > 1 << 16:
            livelog.line(rest)
            rest = b""
    if rest:
        livelog.line(rest)
