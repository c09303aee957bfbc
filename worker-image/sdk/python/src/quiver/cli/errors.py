"""How a verb ends when it cannot do what it was asked, and the exit codes of all verbs."""

DONE = 0
FAILED = 1  # tasks failed, or a check found something
STOPPED = 2  # the run was cancelled, deleted, or ran into its deadline
REFUSED = 3  # arguments, rights, credentials or the object are not accepted; or there is no such thing
NO_ANSWER = 4  # the cluster or the record does not answer, or makes no sense
TIMED_OUT = 124
INTERRUPTED = 130


class CliError(Exception):
    """Ends the program with one line for people and an exit code. The line may quote what strangers wrote."""

    def __init__(self, message: str, code: int = REFUSED):
        super().__init__(message)
        self.code = code


class ApiError(CliError):
    """The API server refused a request. status is the number of HTTP, reason the Status document's word, and retry_after
    the seconds that a server without a turn asks to wait; None where it is no such refusal."""

    def __init__(self, status: int, reason: str, message: str, retry_after=None):
        super().__init__(message, NO_ANSWER if status == 429 or status >= 500 else REFUSED)
        self.status = status
        self.reason = reason
        self.retry_after = retry_after
