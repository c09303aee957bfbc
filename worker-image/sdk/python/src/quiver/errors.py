"""What a handler raises to say more than "it failed", and what the SDK raises."""


class RetryAfter(Exception):
    """The trial failed; the next one starts not before `seconds` have passed, from 0 on; more than ten years are ten."""

    def __init__(self, seconds, message=""):
        if not 0 <= seconds < 2**63 / 1e9:
            raise ValueError(f"RetryAfter: seconds must be 0 or more and finite, not {seconds!r}")
        super().__init__(message or f"again in {seconds:g} s")
        self.seconds = seconds


class DoNotRetry(Exception):
    """The task failed for good, whatever trials it has left."""


class Cancelled(BaseException):
    """Raised in the function, wherever it is, when its task is called off or out of time.

    Not an Exception, so that `except Exception` lets it pass. Clean up and let it go: the process is killed 50 ms
    later.
    """


class InputInvalid(Exception):
    """The input is not what its format says. The trial ends with the reason InputInvalid and these words."""


class OutputTooLarge(Exception):
    """The result is larger than the slot takes; the words have both sizes. Nothing of it was written."""

    def __init__(self, size, limit):
        super().__init__(f"output: {size} bytes, the slot takes {limit}: write it to a volume and return a Locator")
        self.size = size
        self.limit = limit


class NotServed(Exception):
    """No function of this process has the name that the task asks for."""


class ProtocolError(Exception):
    """What the process was started with, or what it was told, is not the protocol's; it cannot go on."""
