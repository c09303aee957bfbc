"""The input as memory that is taken back after the task."""

import gc
import mmap
import os


class InputFile:
    """The slot's input file. Each task gets a mapping of its own, so that what it keeps of it can be told."""

    def __init__(self, path):
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def map(self, length):
        return InputMemory(self._fd, length)


class InputMemory:
    """A task's input, mapped read-only."""

    def __init__(self, fd, length):
        self._map = mmap.mmap(fd, length, mmap.MAP_SHARED, mmap.PROT_READ) if length > 0 else b""
        self.view = memoryview(self._map)

    def release(self):
        """Takes the memory back. False when something still holds it, garbage aside: the process must not go on."""
        if self._released():
            return True
        gc.collect()
        return self._released()

    def _released(self):
        try:
            self.view.release()
            if self._map:
                self._map.close()
            return True
        except BufferError:
            return False
