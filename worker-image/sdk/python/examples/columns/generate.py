"""generate.py FOLDER: 48 Parquet files of 50,000 taxi trips, the same ones each time, and the first of them as Arrow."""

import random
import sys

import pyarrow
import pyarrow.parquet

FILES, ROWS = 48, 50_000
VENDORS = ["Ada", "Blitz", "Curb", "Dart", "Evergreen"]


def trips(seed):
    """One file's worth."""
    chance = random.Random(seed)
    distance = [chance.expovariate(0.3) for _ in range(ROWS)]
    return pyarrow.table(
        {
            "vendor": chance.choices(VENDORS, k=ROWS),
            "passengers": pyarrow.array(chance.choices(range(1, 7), k=ROWS), pyarrow.int8()),
            "distance": distance,
            "fare": [2.5 + 1.75 * way + chance.random() for way in distance],
        }
    )


def main(folder):
    for number in range(FILES):
        table = trips(number)
        pyarrow.parquet.write_table(table, f"{folder}/trips-{number:02}.parquet")
        if number == 0:
            with pyarrow.OSFile(f"{folder}/trips-00.arrow", "wb") as to, pyarrow.ipc.new_file(to, table.schema) as writer:
                writer.write_table(table)


main(sys.argv[1])
