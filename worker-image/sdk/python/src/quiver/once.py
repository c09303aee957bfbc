"""Names that one task has at a time."""

import unicodedata

MOST_CHARACTERS = 253


class Once:
    """A name that no other task of the keyspace has while it goes on. A task that would be the second one is not created.

    until="start" gives the name free as soon as a worker has the task: then at most one waits, and what changes while it
    runs has a task of its own. replace=True, with until="start", lets the new task take the place of the one that waits,
    which fails with reason Replaced: the newest counts, and it stands at the end of the queue. With a delay that is a
    debounce. A task waits while it is postponed, planned, queued or before another trial. until="start" is of a call or a
    command alone.
    """

    __slots__ = ("name", "until", "replace")

    def __init__(self, name, *, until="end", replace=False):
        check_name(name)
        if until not in ("end", "start"):
            raise ValueError(f"until is 'end' or 'start', not {until!r}")
        if not isinstance(replace, bool) or replace and until == "end":
            raise ValueError(f"replace is {replace!r}: it is True or False, and True with until='start' alone")
        self.name = name  #: 1 to 253 characters without control characters
        self.until = until  #: "end" or "start"
        self.replace = replace  #: whether a newer task takes the place of one that waits

    def __repr__(self):
        return f"Once({self.name!r}, until={self.until!r}, replace={self.replace!r})"

    def text(self):
        """As the functions of Redis take it."""
        return ("\2" if self.replace else "\1" if self.until == "start" else "") + self.name

    def json(self):
        """As a node has it."""
        return {"name": self.name, "until": self.until.capitalize(), "replace": self.replace}


def read(json):
    """What a node has."""
    if not isinstance(json, dict):
        raise TypeError(f"once of a node is what quiver.call(…, once=…) makes of it, not {json!r:.80}")
    for field in json:
        if field not in ("name", "until", "replace"):
            raise ValueError(f"once has no {field!r:.80}")
    until = json.get("until", "End")
    if until not in ("End", "Start"):
        raise ValueError(f"until is 'End' or 'Start', not {until!r:.80}")
    check_name(json.get("name"))
    return Once(json["name"], until=until.lower(), replace=json.get("replace", False))


def of(given):
    """What a caller gave as once: None, a name, or a Once."""
    return given if given is None or isinstance(given, Once) else Once(given)


def check_name(name):
    """Raises ValueError for a text that is no name."""
    if not isinstance(name, str) or not 1 <= len(name) <= MOST_CHARACTERS or any(unicodedata.category(c) in ("Cc", "Cs") for c in name):
        raise ValueError(f"once is a text of 1 to {MOST_CHARACTERS} characters without control characters, not {name!r}")
