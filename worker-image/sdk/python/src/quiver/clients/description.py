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


class Library:
    """The functions that the operator has loaded, or of a later operator the entry points of this client's version."""

    def __init__(self, name, calls=CALLS):
        self._name = name
        self._ending = f"_v{CALLS}" if calls > CALLS else ""

    def function(self, script):
        return self._name + DESCRIPTION["scripts"][script]["function"] + self._ending


class Reply:
    """The reply of a script: its code, and after OK its elements by the names that the script's header gives them."""

    def __init__(self, script, values):
        self.code = values[0]
        self._values = values
        self._names = DESCRIPTION["scripts"][script]["returns"]

    @property
    def ok(self):
        return self.code == CODES["OK"]

    @property
    def words(self):
        """What a refusal says in words."""
        return b" ".join(value for value in self._values[1:] if isinstance(value, bytes)).decode()

    def __getitem__(self, name):
        """A value; a list for an element `name...`, of dicts where its rows have fields."""
        for at, element in enumerate(self._names, 1):
            if element == name:
                return self._values[at]
            if element.startswith(name + "..."):
                return self._rest(element[len(name) + 3:], self._values[at:])
        raise KeyError(name)

    @staticmethod
    def _rest(row, values):
        names = row.strip("()").split(", ")
        if names == [""]:
            return values
        return [dict(zip(names, values[at:at + len(names)])) for at in range(0, len(values), len(names))]


class Keyspace:
    """The names of the keys of a namespace's keyspace."""

    def __init__(self, namespace, name=None):
        self.prefix = "quiver:{%s}:" % (namespace if name is None else f"{namespace}/{name}")

    def key(self, name, value=None):
        form = DESCRIPTION["keys"][name]
        return self.prefix + (form if value is None else form % value)

    def call(self, library, script, arguments, pools=(), named=""):
        """The command that calls a function of a Library; `pools` are those whose queues it may need."""
        described = DESCRIPTION["scripts"][script]
        keys = [self.prefix + key.replace("%s", named) for key in described["keys"]]
        for pool in pools:
            keys.extend(self.prefix + key % pool for key in DESCRIPTION["queue"])
        return ("FCALL", library.function(script), len(keys), *keys, *arguments)
