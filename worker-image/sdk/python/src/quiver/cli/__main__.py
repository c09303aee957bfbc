"""`python -m quiver.cli` is `kubectl quiver`."""

from quiver.cli.program import main

if __name__ == "__main__":
    main()
