"""A wheel from the tree, in a clean environment: it serves from any folder, and the plain
install is the client alone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import urllib.request
import venv
import zipfile
from pathlib import Path

import pytest

from tests.house.source import ROOT


def _run(*command: str | Path, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as it would be published."""
    folder = tmp_path_factory.mktemp("wheel")
    _run(
        sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, ROOT, cwd=folder
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    """The Python of an environment with nothing in it."""
    venv.create(tmp_path / "clean", with_pip=True)
    return tmp_path / "clean" / "bin" / "python"


def test_the_wheel_holds_all_that_serving_needs_and_only_our_names(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == {"punktum", "app"}
    for needed in (
        "app/templates/base.html",
        "app/static/app.css",
        "app/static/vendor/htmx.min.js",
        "app/static/vendor/hx-ptag.min.js",
        "app/migrations/versions/0001_the_house.py",
        "app/locale/de/LC_MESSAGES/punktum.mo",
        "app/locale/vi/LC_MESSAGES/punktum.mo",
        "app/offers/catalogue.toml",
        "app/exchange/samples/invoice-adapter.toml",
        "punktum/py.typed",
    ):
        assert needed in names, needed


def test_the_plain_install_is_the_client_with_no_dependency(wheel: Path, clean: Path) -> None:
    _run(clean, "-m", "pip", "install", "--quiet", "--no-index", wheel, cwd=clean.parent)
    assert _run(clean.parent / "punktum", "--version", cwd=clean.parent).strip().endswith("0.1.0")
    said = subprocess.run(
        [clean.parent / "punktum-server", "serve"], capture_output=True, text=True
    )
    assert said.returncode == 2
    assert "punktum[server]" in said.stderr


def test_the_server_serves_from_any_folder(wheel: Path, clean: Path, tmp_path: Path) -> None:
    _run(clean, "-m", "pip", "install", "--quiet", f"{wheel}[server]", cwd=tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    process = subprocess.Popen(
        [clean.parent / "punktum-server", "serve", "--port", "0", "--data", elsewhere / "data"],
        cwd=elsewhere,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().rpartition(" ")[2].strip()
        page = urllib.request.urlopen(f"{address}/campaigns").read().decode()
        for asset in re.findall(r'(?:src|href)="(/static/[^"]+)"', page):
            assert urllib.request.urlopen(address + asset).status == 200
        german = urllib.request.Request(f"{address}/offers", headers={"Accept-Language": "de"})
        assert 'lang="de"' in urllib.request.urlopen(german).read().decode()
    finally:
        process.terminate()
        assert process.wait(20) == 0
