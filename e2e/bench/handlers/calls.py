"""The handlers of the `calls` bench in Python: the sum of the two numbers of an input; one in twenty has no sum."""

import quiver


def summed(numbers):
    b = int(numbers["b"])
    return quiver.DoNotRetry("no sum") if b % 20 == 7 else int(numbers["a"]) + b


@quiver.handler("sum")
def one(numbers):
    outcome = summed(numbers)
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


@quiver.handler("sum-list", batch=True)
def many(inputs):
    return [summed(numbers) for numbers in inputs]


@quiver.handler("sum-table", batch="table")
def columns(table):
    import pyarrow.compute as compute

    a, b = compute.cast(table["a"], "int64"), compute.cast(table["b"], "int64")
    sums = compute.add(a, b).to_pylist()
    for row, number in enumerate(b.to_pylist()):
        if number % 20 == 7:
            sums[row] = quiver.DoNotRetry("no sum")
    return sums


quiver.serve()
