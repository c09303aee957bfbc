"""What a handler raises to say more than "it failed", and what the SDK raises."""

import re


class RetryAfter(Exception):
    """The trial failed; the next one starts not before `seconds` have passed, from 0 on; more than ten years are ten."""

    def __init__(self, seconds, message=""):
        if not 0 <= seconds < 2**63 / 1e9:
            raise ValueError(f"RetryAfter: seconds must be 0 or more and finite, not {seconds!r}")
        super().__init__(message or f"again in {seconds:g} s")
        self.seconds = seconds


class DoNotRetry(Exception):
    """The task failed for good, whatever trials it has left."""


class Blocked(Exception):
    """A resource is missing, as a server says with HTTP 429. It is closed for all tasks of the pool that name it, for so many
    seconds: more than 0, a day at most. This task goes back and uses no trial; one that does not name it waits as long."""

    def __init__(self, resource, seconds):
        if not isinstance(resource, str) or not re.fullmatch("[!-~]{1,128}", resource):
            raise ValueError(f"Blocked: resource has {resource!r}, 1 to 128 printable characters of ASCII without blanks are "
                             "allowed")
        if not 0 < seconds <= 86400:
            raise ValueError(f"Blocked: seconds must be more than 0 and at most 86400, not {seconds!r}")
        super().__init__(f"{resource} is missing for {seconds:g} s")
        self.resource = resource
        self.seconds = seconds


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
