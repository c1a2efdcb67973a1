"""The client as one readable Python file, made from the sources of its package.

The file is the command (`python3 punktum.py run …`) and the package (`import punktum`, also
`punktum.integrations.…`) in one: it carries the sources as text and an importer that reads them.
It needs nothing but Python, and the same sources make the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

NAME: Final = "punktum.py"
PACKAGE: Final = "punktum"

_HEAD: Final = '''\
#!/usr/bin/env python3
"""Punktum's client {version} in one file: report training runs, and be told when to stop.

It needs Python 3.10 or newer and nothing else. As a command:

    python3 punktum.py check --step control
    python3 punktum.py run --step control -- python3 train.py
    python3 punktum.py replay SPOOL
    python3 punktum.py --help

In Python, beside this file or with its folder on PYTHONPATH (code under "punktum.py run" finds
it in any folder):

    import punktum

    with punktum.run("control") as run:
        run.metric("loss", 0.1)

Below stand the sources of the package "punktum" as they are, one text for each module, and at the
end the importer that reads them. This file is made by the server, whose page
"Connect a job" names its SHA-256.
"""

import os
import sys

if sys.version_info < (3, 10):
    _WHY = "punktum needs Python 3.10 or newer; this is " + sys.version.split()[0]
    raise SystemExit(_WHY) if __name__ == "__main__" else ImportError(_WHY)

_FILE = os.path.abspath(__file__)

if __name__ == "__main__":
    # What lies beside this file is no part of it: a "random.py" there is not ours to import.
    if sys.path and os.path.abspath(sys.path[0] or os.curdir) == os.path.dirname(_FILE):
        del sys.path[0]

_SOURCES = {{}}
'''

_TAIL: Final = '''
# ---- the importer ------------------------------------------------------------------------------

from importlib.machinery import ModuleSpec  # of importlib's parts the one that imports nothing


class _Sources:
    """Finds and loads the package "punktum" and its modules from the texts above."""

    def find_spec(self, name, path=None, target=None):
        if name not in _SOURCES:
            return None
        origin, is_package = self.get_filename(name), self.is_package(name)
        spec = ModuleSpec(name, self, origin=origin, is_package=is_package)
        spec.has_location = True
        return spec

    def create_module(self, spec):
        return None

    def is_package(self, name):
        return _SOURCES[name][0]

    def get_source(self, name):
        return _SOURCES[name][1]

    def get_filename(self, name):
        parts = name.split(".") + (["__init__"] if self.is_package(name) else [])
        return os.path.join(_FILE, *parts) + ".py"

    def get_code(self, name):
        return compile(self.get_source(name), self.get_filename(name), "exec", dont_inherit=True)

    def exec_module(self, module):
        if module.__name__ == "punktum":
            module.single_file = _FILE
        exec(self.get_code(module.__name__), module.__dict__)


if not any(type(one).__name__ == "_Sources" for one in sys.meta_path):
    sys.meta_path.insert(0, _Sources())

if __name__ == "__main__":
    from punktum.cli import main

    sys.exit(main())
elif __name__ == "punktum":
    __path__ = []
    __spec__.submodule_search_locations = __path__
    __package__ = __name__
    single_file = _FILE
    exec(_Sources().get_code(__name__), globals())
'''


@dataclass(frozen=True, slots=True)
class SingleFile:
    """The file's bytes, the version of the client in it, and its SHA-256 in hex."""

    content: bytes
    version: str
    sha256: str


def single_file(sources: Mapping[str, str], version: str) -> SingleFile:
    """Make the file. `sources`: path below the package's folder, with `/`, → text of a module."""
    parts = [_HEAD.format(version=version)]
    for path in sorted(sources):
        parts.append(_section(path, sources[path]))
    content = "".join([*parts, _TAIL]).encode()
    return SingleFile(content, version, hashlib.sha256(content).hexdigest())


def module_name(path: str) -> tuple[str, bool]:
    """`checks/__init__.py` → (`punktum.checks`, True): the name, and if it is a package."""
    parts = [PACKAGE, *path.removesuffix(".py").split("/")]
    is_package = parts[-1] == "__init__"
    return ".".join(parts[:-1] if is_package else parts), is_package


def version_in(sources: Mapping[str, str]) -> str:
    """The version that the package says it is; raises ValueError where it says none."""
    for line in sources["__init__.py"].splitlines():
        if line.startswith("__version__ = "):
            return line.partition("=")[2].strip().strip("\"'")
    raise ValueError("the package says no version")


def _section(path: str, source: str) -> str:
    name, is_package = module_name(path)
    line = f"# ---- {PACKAGE}/{path} "
    return f'\n{line:-<100}\n\n_SOURCES["{name}"] = ({is_package}, {_literal(source)})\n'


def _literal(source: str) -> str:
    """A literal that reads as the text does; with escapes only where it cannot be else."""
    lines = source if source.endswith("\n") else f"{source}\n"
    if any(ord(one) < 32 and one not in "\n\t" for one in lines):
        return repr(lines)
    if "'''" not in lines:
        return f"r'''{lines}'''"
    escaped = lines.replace("\\", "\\\\").replace("'''", "\\'\\'\\'")
    return f"'''{escaped}'''"
