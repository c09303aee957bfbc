"""Creates tasks in small batches until a file is there, and tries again as the client's documentation says: `python3
client.py NAMESPACE POOL STOP`. Then it collects all results, and prints what it was told of as created."""

import json
import os
import pathlib
import sys
import time

import quiver

NAMESPACE, POOL, STOP = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
SINGLES = 20
TWICE = {"max_trials": 2, "backoff": 1}

troubles = {}


def until_it_answers(ask):
    while True:
        try:
            return ask()
        except (quiver.StoreUnavailable, quiver.StoreRefused) as problem:
            name = type(problem).__name__
            troubles[name] = troubles.get(name, 0) + 1
            time.sleep(0.5)


def fill(batch, base):
    """Tasks, and what each returns; None where it fails. The function fails for each multiple of 5."""
    for i in range(SINGLES):
        yield batch.task("number", [base + 5 * i + 1]), base + 5 * i + 1
    yield batch.task("number", [base], **TWICE), None
    each = batch.for_each(quiver.call("number", **TWICE), on_child_error="Continue")
    yield batch.chain(batch.task("numbers", [4]), each, batch.task("total")), {"passed": 3, "sum": 6}
    yield batch.group(batch.task("number", [base + 2]), batch.task("number", [base + 3])), [base + 2, base + 3]


SUCCEEDED, FAILED = SINGLES + 1 + 3 + 1 + 2, 1 + 1  # tasks of a batch


def main():
    made, batches = [], 0
    with quiver.client(os.environ["REDIS"], namespace=NAMESPACE, pool=POOL, patience=2) as q:
        while not STOP.exists():
            batch = q.batch()
            made += fill(batch, 1000 * batches)
            until_it_answers(batch.flush)
            batches += 1
            time.sleep(0.4)
        tasks = [task for task, _ in made]
        until_it_answers(lambda: q.wait(tasks, timeout=240))
        outcomes = until_it_answers(lambda: q.results(tasks, timeout=60, return_exceptions=True))
    wrong = [
        f"{task.id}: {outcome!r} instead of {expected!r}"
        for (task, expected), outcome in zip(made, outcomes)
        if (expected is None) != isinstance(outcome, quiver.TaskFailed) or expected is not None and outcome != expected
    ]
    wrong += [f"{task.id}: {outcome.reason}" for task, outcome in zip(tasks, outcomes)
              if isinstance(outcome, quiver.TaskFailed) and outcome.reason != "Exception"]
    print(json.dumps({"wrong": wrong[:20], "troubles": troubles, "succeeded": batches * SUCCEEDED, "failed": batches * FAILED}))
    print(*(task.id for task in tasks))


if __name__ == "__main__":
    main()
