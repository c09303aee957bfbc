"""Keys, scripts and records, as the Java side has described them in calls.json."""

import json
import os
from importlib import resources

DESCRIPTION = json.loads(resources.files(__package__).joinpath("calls.json").read_text("utf-8"))
LAYOUT = DESCRIPTION["layout"]
CALLS = DESCRIPTION["calls"]
CODES = {name: number for number, name in enumerate(DESCRIPTION["codes"])}
RECORDS = DESCRIPTION["records"]
STATES = DESCRIPTION["states"]
LIMITS = DESCRIPTION["limits"]

_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_LETTER_OF = bytes(_LETTERS[i % len(_LETTERS)] for i in range(256))


def new_id():
    """14 random letters and digits: the id of a tree, or the name of a producer. Longer ones take Redis more memory."""
    return os.urandom(14).translate(_LETTER_OF).decode()


def fields(record, text):
    """The fields of a record as a dict."""
    return dict(zip(RECORDS[record], text.split("\t")))


class Keyspace:
    """The names of the keys of a namespace's keyspace."""

    def __init__(self, namespace, name=None):
        self.prefix = "quiver:{%s}:" % (namespace if name is None else f"{namespace}/{name}")

    def key(self, name, value=None):
        form = DESCRIPTION["keys"][name]
        return self.prefix + (form if value is None else form % value)

    def call(self, library, script, arguments, pools=(), named=""):
        """The command that calls a function; `pools` are those whose queues it may need."""
        described = DESCRIPTION["scripts"][script]
        keys = [self.prefix + key.replace("%s", named) for key in described["keys"]]
        for pool in pools:
            keys.extend(self.prefix + key % pool for key in DESCRIPTION["queue"])
        return ("FCALL", library + described["function"], len(keys), *keys, *arguments)
