"""`punktum-server`: serving and looking after one installation.

Acts that write refuse while a server holds the folder, and name its address.
"""

from __future__ import annotations

import gc
import importlib
import sys


def main() -> None:
    """Run the command line, or say which extra is missing.

    Until the server is up nothing that is made becomes garbage: the collector waits for it.
    """
    gc.disable()
    try:
        from app.command_line.asking import cli

        for acts in ("serving", "keeping", "record", "plans"):
            importlib.import_module(f"app.command_line.{acts}")
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.split(".")[0] == "app":
            raise
        print(
            f"punktum-server needs the server's packages ({missing.name} is missing) "
            "and Python 3.11 or newer.\n"
            "Install them with: pip install 'punktum[server]'",
            file=sys.stderr,
        )
        sys.exit(2)
    cli()
