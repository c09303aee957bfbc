"""All trials of a run by its record, as a file or to the standard output.

  kubectl quiver results specs -o junit --out report.xml
"""

import json

from quiver.cli import installation, program, record
from quiver.cli.errors import CliError

_FORMATS = ("json", "ndjson", "csv", "junit", "parquet")


def arguments(parser):
    parser.add_argument("run", metavar="RUN", help="its name, or its uid")
    parser.add_argument("-o", "--output", choices=_FORMATS, default="ndjson", help="ndjson without it; parquet needs pyarrow")
    parser.add_argument("--out", metavar="FILE", help="the standard output without it")
    installation.arguments(parser)


def run(parsed):
    from quiver.history.files import sink, write_parquet

    if parsed.output == "parquet" and parsed.out is None:
        raise CliError("parquet needs --out FILE")
    api = program.api(parsed)
    namespace = api.access.namespace
    history, name = record.opened(api, parsed), record.run_name(parsed.run)
    with record.named():
        history.run(namespace, name)  # a refusal comes before a file
        try:
            with sink(parsed.out) as out:
                if parsed.output == "parquet":
                    write_parquet(out, history.trial_batches(namespace, name))
                    return
                blocks = history.export(namespace, name, "ndjson" if parsed.output == "json" else parsed.output)
                for block in _array(blocks) if parsed.output == "json" else blocks:
                    out.write(block)
        except ImportError as error:
            raise CliError(str(error)) from None


def _array(blocks):
    """Lines of JSON as one array, of which no more than a block is in memory."""
    rest, start = b"", b"[\n"
    for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            json.loads(line)
            yield start + line
            start = b",\n"
    if rest:
        yield start + rest
        start = b",\n"
    yield b"\n]\n" if start == b",\n" else b"[]\n"
