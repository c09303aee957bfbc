"""Reads the record of runs, for people who analyse it.

    from quiver.history import History

    history = History("http://127.0.0.1:8080", token=pathlib.Path("token"))
    for run in history.runs("team-a", class_="nightly"):
        print(run["name"], run.get("status"))
    trials = history.trials("team-a", "specs").to_pandas()

The standard library is enough but for tables, which need pyarrow: `pip install quiver-sdk[arrow]`. The same from a shell:
`python -m quiver.history`.
"""

from quiver.history.client import History
from quiver.history.errors import Forbidden, HistoryError, NotFound, Unauthorized, Unavailable

__all__ = ["Forbidden", "History", "HistoryError", "NotFound", "Unauthorized", "Unavailable"]
