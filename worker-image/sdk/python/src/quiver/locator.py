"""Where data lies that does not travel through the slot."""

import os
import unicodedata
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from quiver.formats import Format

MOST_BYTES = 1024


@dataclass(frozen=True)
class Locator:
    """A file on a volume that both sides mount, or a URL that the user's code knows how to read.

    As an input it says where the data is; returned from a handler it is the output, and Quiver reads nothing of it.
    """

    url: str  #: an absolute path, `file:///path`, or any other URL; at most 1024 bytes without control characters
    format: Format = Format.BYTES  #: of what lies there

    def __post_init__(self):
        control = any(unicodedata.category(c) == "Cc" for c in self.url)
        if not self.url or control or len(self.url.encode()) > MOST_BYTES:
            raise ValueError(f"a locator has 1 to {MOST_BYTES} bytes without control characters")
        object.__setattr__(self, "format", Format(self.format))
        if self.format in (Format.ARGUMENTS, Format.EFFECTS):
            raise ValueError(f"a locator leads to bytes, JSON or Arrow, not to {self.format.name.lower()}")

    @property
    def path(self) -> str:
        """The local path. Raises ValueError for any other URL."""
        if os.path.isabs(self.url):
            return self.url
        parts = urlsplit(self.url)
        if parts.scheme == "file" and parts.netloc in ("", "localhost"):
            return unquote(parts.path)
        raise ValueError(f"{self.url} is not a local path: reading it is for the handler's own code")

    def open(self):
        """The local file, open for reading bytes."""
        return open(self.path, "rb")

    def table(self):
        """The local Arrow file or stream as a pyarrow.Table whose buffers lie in the mapped file."""
        import pyarrow

        source = pyarrow.memory_map(self.path)
        try:
            return pyarrow.ipc.open_file(source).read_all()
        except pyarrow.ArrowInvalid:  # no file footer: then it is a stream
            source.seek(0)
            return pyarrow.ipc.open_stream(source).read_all()
