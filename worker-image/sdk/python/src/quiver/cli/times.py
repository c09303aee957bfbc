"""Instants and spans of time, as the API writes them and as people do."""

import datetime
import re

from quiver.cli.errors import CliError

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def parsed(text):
    """The instant of RFC 3339 in UTC; None where there is none, or it is none."""
    match = re.match(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z$", text or "")
    try:
        return match and datetime.datetime.strptime(match[1] + "+0000", "%Y-%m-%dT%H:%M:%S%z")
    except ValueError:
        return None


def now():
    return datetime.datetime.now(datetime.timezone.utc)


def span(seconds):
    """About how long, in one or two units as kubectl writes it."""
    seconds = max(0, int(seconds))
    for size, unit, below, smaller in ((86400, "d", 3600, "h"), (3600, "h", 60, "m"), (60, "m", 1, "s")):
        if seconds >= size:
            rest = seconds % size // below
            return f"{seconds // size}{unit}" + (f"{rest}{smaller}" if rest and seconds < 10 * size else "")
    return f"{seconds}s"


def duration(text):
    """Seconds of 90, 90s, 15m, 1h30m or 2d."""
    if re.fullmatch(r"\d+", text):
        return int(text)
    if not re.fullmatch(r"(\d+[smhd])+", text):
        raise CliError(f"{text!r} is no time like 90s, 15m or 1h30m")
    return sum(int(number) * _UNITS[unit] for number, unit in re.findall(r"(\d+)([smhd])", text))
