"""The input as memory that is taken back after the task."""

import gc
import mmap
import os


class InputFile:
    """The slot's input file. Each call of a function gets a mapping of its own, so that what it keeps of it can be told."""

    def __init__(self, path):
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def map(self, offset, length):
        return InputMemory(self._fd, offset, length)


class InputMemory:
    """Bytes of the input from `offset` on, mapped read-only."""

    def __init__(self, fd, offset, length):
        before = offset % mmap.ALLOCATIONGRANULARITY
        self._map = mmap.mmap(fd, before + length, mmap.MAP_SHARED, mmap.PROT_READ, offset=offset - before)
        self.view = memoryview(self._map)[before:]

    def release(self, parts=()):
        """Takes the memory back, and parts of the view with it. False when something still holds it, garbage aside: the
        process must not go on."""
        if self._released(parts):
            return True
        gc.collect()
        return self._released(parts)

    def _released(self, parts):
        try:
            for part in parts:
                part.release()
            self.view.release()
            self._map.close()
            return True
        except BufferError:
            return False
