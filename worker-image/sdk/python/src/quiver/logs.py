"""Log records know which task they belong to."""

import logging
import sys

_current, _others = None, 0


def begin(task, others=0):
    """From now on records are this task's, or of a call that also has so many others."""
    global _current, _others
    _current, _others = task, others


def end():
    begin(None)


class _Stamp(logging.Filter):
    def filter(self, record):
        task = _current
        record.task = "-" if task is None else task.name if _others == 0 else f"{task.name} and {_others} more"
        return True


def prepare():
    """Stamps the task's logger, and gives its records a way out unless the user's code configured logging.

    The worker puts the task's name in front of every line of stdout and stderr, so the default format leaves it out.
    What a task prints goes out line by line: the pipe's buffer would keep it until some later task.
    """
    if hasattr(sys.stdout, "reconfigure"):  # not where the user's code put something else there
        sys.stdout.reconfigure(line_buffering=True)
    logger = logging.getLogger("quiver.task")
    logger.addFilter(_Stamp())
    if not logger.hasHandlers():
        out = logging.StreamHandler(sys.stderr)
        out.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
        logger.addHandler(out)
        logger.setLevel(logging.INFO)
