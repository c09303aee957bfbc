"""`python -m quiver MODULE…`: imports the modules, whose functions register themselves, and serves them."""

import importlib
import sys

import quiver


def main():
    if not sys.argv[1:]:
        sys.exit("usage: python -m quiver MODULE…   (modules with functions that have @quiver.handler)")
    for module in sys.argv[1:]:
        importlib.import_module(module)
    try:
        quiver.serve()
    except quiver.ProtocolError as error:
        sys.exit(f"quiver: {error}")


main()
