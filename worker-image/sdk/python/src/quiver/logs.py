"""Log records know which task they belong to."""

import logging
import sys

_current = "-"


def begin(name):
    global _current
    _current = name


def end():
    begin("-")


class _Stamp(logging.Filter):
    def filter(self, record):
        record.task = _current
        return True


def prepare():
    """Stamps the task's logger, and gives its records a way out unless the user's code configured logging.

    The worker puts the task's name in front of every line of stdout and stderr, so the default format leaves it out.
    """
    logger = logging.getLogger("quiver.task")
    logger.addFilter(_Stamp())
    if not logger.hasHandlers():
        out = logging.StreamHandler(sys.stderr)
        out.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
        logger.addHandler(out)
        logger.setLevel(logging.INFO)
