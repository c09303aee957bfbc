"""The record of runs, as a program reads it."""

from quiver import inputs
from quiver.errors import InputInvalid
from quiver.formats import Format
from quiver.history import columns
from quiver.history.carrier import Carrier, blocks, path
from quiver.history.errors import HistoryError

PAGE = 500  # items of a page
_MOST = 1000

_FORMATS = {"application/json": Format.JSON, "application/vnd.apache.arrow.stream": Format.ARROW}


class History:
    """Reads a history. Threads may share it; each call is a request of its own, or one for each page.

    address is http://127.0.0.1:8080 (kubectl port-forward), https://HOST:8443, or the service proxy of an API server:
    http://127.0.0.1:8001/api/v1/namespaces/quiver-system/services/https:quiver-history:8443/proxy (kubectl proxy).

    token is a token, a pathlib.Path of a file with one, or a function that answers one. File and function are asked for each
    request. api_token is the same for the API server itself, of a service proxy over https. ca is a file with the
    certificates that are trusted, those of the system without it. timeout bounds each wait for bytes, in seconds.

    Documents are dicts as the API describes them at /v1/openapi.json. Each `run` is a uid, or a name: then the latest run of
    that name. Calls raise HistoryError, those that answer an iterator while it is read, and nothing is tried again.
    """

    def __init__(self, address, token=None, *, api_token=None, ca=None, timeout=60):
        self._carrier = Carrier(address, token, api_token, ca, timeout)

    @classmethod
    def over(cls, carrier):
        """A reader over a carrier of one's own, for ways that an address does not name."""
        history = cls.__new__(cls)
        history._carrier = carrier
        return history

    def about(self):
        """The whole record: its database, and whether it grows."""
        return self._carrier.document(path("about"))

    def namespaces(self):
        """The namespaces in which the token may list runs, by name: a dict with items, each with its name, and more, which
        tells whether others are on record that were not looked at."""
        return self._carrier.document(path("namespaces"))

    def runs(self, namespace, *, kind=None, class_=None, status=None, name=None, live=False):
        """Iterates over runs of a namespace, the newest first. live leaves out those that are over."""
        return self._pages(
            path("namespaces", namespace, "runs"),
            {"kind": kind, "class": class_, "status": status, "name": name, "live": "true" if live else None},
        )

    def run(self, namespace, run):
        """A run with its labels and specification."""
        return self._carrier.document(_run(namespace, run))

    def nodes(self, namespace, run, parent=-1):
        """Iterates over the children of a node of a tree, -1 for the root."""
        return self._pages(_run(namespace, run, "nodes"), {"parent": parent})

    def tasks(self, namespace, run, *, status=None, q=None, order=None):
        """Iterates over tasks that have a record, each as its last trial left it.

        status is passed, pending, failed, error, timeout, lost or cancelled. q is a part of the name, and goes with neither of
        the others. order="slowest" has the longest first.
        """
        return self._pages(_run(namespace, run, "tasks"), {"status": status, "q": q, "order": order})

    def workers(self, namespace, run):
        """Iterates over workers that took part."""
        return self._pages(_run(namespace, run, "workers"), {})

    def roster(self, namespace, run):
        """Iterates over workers that have tasks of a running run now, each with these tasks; nobody of one that is over."""
        return self._pages(_run(namespace, run, "roster"), {})

    def failures(self, namespace, run):
        """The failed tasks by reason: how many, the first of them, and its last words."""
        return self._carrier.document(_run(namespace, run, "failures"), field="items")

    def compare(self, namespace, run, with_run, what="newly-failed"):
        """Iterates over tasks that differ from another run: newly-failed, still-failed, fixed, slower,
        faster, added or gone."""
        return self._pages(_run(namespace, run, "compare"), {"with": with_run, "what": what}, _MOST)

    def compare_counts(self, namespace, run, with_run):
        """How many tasks differ in each way."""
        query = {"with": with_run, "limit": 1}
        return self._carrier.document(_run(namespace, run, "compare"), query.items(), "counts")

    def tests(self, namespace, class_, *, order="slowest", limit=_MOST):
        """What a class remembers of its tests: those that usually take longest, with order="flaky" those that were hurt
        most often, with order="failing" those that failed when they last ran; 1,000 at most."""
        query = {"order": order, "limit": limit}
        return self._carrier.document(path("namespaces", namespace, "classes", class_, "tests"), query.items(), "items")

    def test(self, namespace, class_, name):
        """A test in the last 64 runs of its class, the newest first: dicts with run and task."""
        return self._carrier.document(path("namespaces", namespace, "classes", class_, "tests", name), field="items")

    def trials(self, namespace, run):
        """All trials of a run, a pyarrow.Table with a row for each; to_pandas() makes a DataFrame of it.

        started_at and finished_at are timestamps in UTC, *_ms milliseconds; passed, pending and failed are the cases of its
        report. stdout and stderr say whether a tail is kept. What nobody knows is null.
        """
        pa = columns.pyarrow()
        return pa.Table.from_batches(self.trial_batches(namespace, run), columns.schema())

    def trial_batches(self, namespace, run):
        """The same, iterating over RecordBatches, for runs that do not fit into memory."""
        columns.pyarrow()
        return columns.batches(self.export(namespace, run, "ndjson"))

    def export(self, namespace, run, format):
        """Iterates over the bytes of an export, which is "ndjson" or "csv", a trial for each line, or "junit"."""
        names = {"ndjson": "trials.ndjson", "csv": "trials.csv", "junit": "junit.xml"}
        if format not in names:
            raise ValueError(f"format: {format!r} is none of {', '.join(names)}")
        with self._carrier.open(_run(namespace, run, names[format])) as answer:
            yield from blocks(answer)

    def task_trials(self, namespace, run, task):
        """The trials of a task, in their order."""
        return self._carrier.document(_run(namespace, run, "tasks", task, "trials"), field="items")

    def trial(self, namespace, run, task, trial, copy=None):
        """A trial. copy tells several of one number apart: 1 is that of a second holder, and from 16 on are losses."""
        return self._carrier.document(_trial(namespace, run, task, trial), _copy(copy))

    def cases(self, namespace, run, task, trial, copy=None):
        """Cases of its report that did not pass, the failed ones first and 32 at most: dicts with name, status, runMillis and
        message. Its trial has the counts of all cases.
        """
        return self._carrier.document(_trial(namespace, run, task, trial, "cases"), _copy(copy), field="items")

    def result(self, namespace, run, task, trial, copy=None, *, raw=False):
        """The result of a trial: the value of JSON, a pyarrow.Table of an Arrow stream, bytes of anything else. With raw it is
        bytes always. A result that was too large for its row comes seconds after it; NotFound tells when it has not come.

        Arrow is validated in full: a broken offset would read foreign memory.
        """
        data, media_type = self._carrier.whole(_trial(namespace, run, task, trial, "result"), (*_copy(copy), ("full", "true")))
        format = _FORMATS.get(media_type)
        if raw or format is None:
            return data
        if format is Format.ARROW:
            columns.pyarrow()
        try:
            return inputs.decode(memoryview(data), format, False)
        except InputInvalid as error:
            raise HistoryError(200, "Malformed", f"the result is {error}; raw=True gives its bytes") from None

    def stdout(self, namespace, run, task, trial, copy=None):
        """The last 4 KiB of its stdout."""
        return self._text(_trial(namespace, run, task, trial, "stdout"), _copy(copy))

    def stderr(self, namespace, run, task, trial, copy=None):
        """The last 4 KiB of its stderr."""
        return self._text(_trial(namespace, run, task, trial, "stderr"), _copy(copy))

    def printed(self, namespace, run, task, trial, stream="stdout", copy=None):
        """Iterates over the bytes of all that a trial printed to "stdout" or "stderr", where its run keeps all of it. Beyond the
        run's limit the middle is left out, and a line of its own tells both sizes.
        """
        if stream not in ("stdout", "stderr"):
            raise ValueError(f"stream: {stream!r} is neither stdout nor stderr")
        with self._carrier.open(_trial(namespace, run, task, trial, stream), (*_copy(copy), ("full", "true"))) as answer:
            yield from blocks(answer)

    def run_log(self, namespace, run):
        """The log of a run: what was decided of its trials, and when; the first thousand decisions, the others as a count."""
        return self._text(_run(namespace, run, "log"))

    def worker_log(self, namespace, run, worker):
        """The end of a worker's log, and what its slots' processes printed between tasks."""
        return self._text(_run(namespace, run, "workers", worker, "log"))

    def _text(self, path, query=()):
        return self._carrier.whole(path, query)[0].decode("utf-8", "replace")

    def _pages(self, path, query, limit=PAGE):
        said = {name: value for name, value in query.items() if value is not None}
        return self._carrier.pages(path, {**said, "limit": limit})


def _run(namespace, run, *below):
    return path("namespaces", namespace, "runs", run, *below)


def _trial(namespace, run, task, trial, *below):
    return _run(namespace, run, "tasks", task, "trials", trial, *below)


def _copy(copy):
    return () if copy is None else (("copy", copy),)
