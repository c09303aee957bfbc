"""What complex tasks keep, as a client reads it. No I/O."""

import json
from dataclasses import dataclass, field

_MARKER = "\2"


@dataclass(frozen=True)
class ComplexState:
    """What a complex task keeps for a key, as of one moment."""

    version: int  #: grows with each change while anything is kept
    fields: dict = field(default_factory=dict)  #: of its state, by their names
    markers: dict = field(default_factory=dict)  #: by their ids: what each says, `left` tasks, and `error` where one failed

    @classmethod
    def of(cls, version, entries):
        """From names and values as the script answers them, as bytes; None where nothing is kept."""
        if not version:
            return None
        state = cls(version)
        for name, value in ((name.decode(), value.decode()) for name, value in entries):
            if name.startswith(_MARKER):
                left, words, *error = value.split("\n", 2)
                said = {**json.loads(words), "left": int(left)}
                state.markers[name[1:]] = {**said, "error": json.loads(error[0])} if error else said
            else:
                state.fields[name[1:]] = json.loads(value)
        return state
