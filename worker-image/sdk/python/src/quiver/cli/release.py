"""Which release this is."""

import pkgutil


def version() -> str:
    """That which the one file was built with, or that of the installed package."""
    try:
        return pkgutil.get_data("quiver.cli", "release.txt").decode().strip()
    except OSError:
        pass
    from importlib import metadata

    try:
        return metadata.version("quiver-sdk")
    except metadata.PackageNotFoundError:
        return "unreleased"
