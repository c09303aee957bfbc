"""How a task that was called off is stopped wherever its function is."""

import ctypes
import threading

from quiver.errors import Cancelled

_raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
_raise_in.argtypes = [ctypes.c_ulong, ctypes.py_object]


class Interruption:
    """Raises Cancelled in the thread that made it, only between arm and disarm of the generation it is for."""

    def __init__(self):
        self._thread = threading.get_ident()
        self._lock = threading.Lock()
        self._armed = 0
        self._asked = 0
        self._sent = False

    def arm(self, generation):
        """False when it was called off already."""
        with self._lock:
            self._armed = generation
            return self._asked != generation

    def disarm(self):
        """Afterwards no exception comes any more, not even one that was already on its way."""
        while True:
            try:
                with self._lock:
                    self._armed = 0
                    if self._sent:
                        self._sent = False
                        _raise_in(self._thread, ctypes.py_object())  # NULL: takes back what was not yet raised
                return
            except Cancelled:
                continue  # the one exception of this generation; disarm again

    def interrupt(self, generation):
        """By the watch thread."""
        with self._lock:
            self._asked = generation
            if self._armed == generation:
                self._armed = 0
                self._sent = True
                _raise_in(self._thread, ctypes.py_object(Cancelled))
