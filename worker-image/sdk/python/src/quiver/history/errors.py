"""What a program that reads the record may meet."""


class HistoryError(Exception):
    """A request was refused, or its answer makes no sense.

    status is the number of HTTP, None where no answer came. reason is one word and message is for people: both are those of
    the answer's Status document, where it has one.
    """

    def __init__(self, status, reason, message):
        super().__init__(f"{reason}: {message}")
        self.status = status
        self.reason = reason
        self.message = message


class Unauthorized(HistoryError):
    """401: the request had no token, an old one, or one of nobody."""


class Forbidden(HistoryError):
    """403: the token's owner may not do this."""


class NotFound(HistoryError):
    """404: there is no such run, task, trial, result or class, or none that the token's owner may see."""


class Unavailable(HistoryError):
    """The history cannot be reached, does not answer in time, broke off its answer, or answers 429 or 503: try again."""


_KINDS = {401: Unauthorized, 403: Forbidden, 404: NotFound, 429: Unavailable, 503: Unavailable}


def of(status, reason, message):
    """The error of an answer."""
    return _KINDS.get(status, HistoryError)(status, reason, message)
