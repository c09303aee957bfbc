"""What the bytes of a payload are."""

import enum


class Format(enum.IntEnum):
    """The number in the slot's `format`."""

    BYTES = 0
    JSON = 1
    ARROW = 2  #: an Arrow IPC stream
    ARGUMENTS = 3  #: a JSON array, the positional arguments of a call; of inputs alone
    EFFECTS = 4  #: a JSON object, a result with tasks or what a plan says; of outputs alone


#: In the executor's `format`: the output is a locator, and the low 8 bits say what lies there.
LOCATED = 1 << 8
