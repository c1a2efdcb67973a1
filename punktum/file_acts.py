"""What ``init``, ``verify`` and ``pull`` do with their arguments; each gives its exit code."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from punktum import talk
from punktum.settings import Settings, read_settings

if TYPE_CHECKING:
    from punktum.sheet import Deliverable
    from punktum.verified import Verified
    from punktum.verify import Verifier

USAGE: Final = 2


def init(chosen: argparse.Namespace) -> int:
    """``punktum init DIR``."""
    from punktum.layout import NotLaidOut, lay_out

    settings = read_settings(chosen.url, chosen.token_file)
    try:
        done = lay_out(Path(chosen.folder), settings, chosen.campaign)
    except NotLaidOut as error:
        talk.say(str(error))
        return USAGE
    if chosen.json:
        _print_json(done.form())
    else:
        print("\n".join(done.lines()))
    for said in done.remarks:
        talk.say(said)
    return done.code


def verify(chosen: argparse.Namespace) -> int:
    """``punktum verify DIR``."""
    if chosen.reload and not chosen.retrieved:
        talk.say("--reload goes with --retrieved; without it the announced checks run anyway")
        return USAGE
    if chosen.retrieved and chosen.files:
        talk.say("--files does not go with --retrieved: MANIFEST.json says which files")
        return USAGE
    return verified(
        Path(chosen.folder),
        read_settings(chosen.url, chosen.token_file),
        deliverable=chosen.deliverable,
        campaign=chosen.campaign,
        runs=chosen.run,
        globs=chosen.files,
        retrieved=chosen.retrieved,
        reloads=chosen.reload,
        waits=not chosen.no_wait,
        as_json=chosen.json,
    )


def verified(
    folder: Path,
    settings: Settings,
    *,
    deliverable: str | None = None,
    campaign: str | None = None,
    runs: Sequence[str] = (),
    globs: Sequence[str] = (),
    retrieved: bool = False,
    reloads: bool = False,
    waits: bool = True,
    as_json: bool = False,
    beside: Mapping[str, object] | None = None,
) -> int:
    """Verify one deliverable (None: all), print and say what was found; ``beside`` is printed with
    it as JSON."""
    from punktum.verified import exit_code
    from punktum.verify import NotVerifiable, Verifier

    try:
        verifier = Verifier(
            folder,
            settings,
            campaign_file=campaign,
            runs=runs,
            globs=globs,
            reloads=reloads,
            waits=waits,
        )
        results = _found(verifier, deliverable, retrieved)
    except NotVerifiable as error:
        talk.say(str(error))
        return error.code
    _tell(results, as_json, beside or {})
    for said in verifier.remarks(results):
        talk.say(said)
    return exit_code(results)


def _found(verifier: Verifier, deliverable: str | None, retrieved: bool) -> list[Verified]:
    from punktum.signals import leaving_on_term

    if deliverable is not None:
        wanted: Sequence[Deliverable] = (verifier.deliverable(deliverable),)
    else:
        wanted = verifier.arrivals() if retrieved else verifier.sheet.deliverables
    with leaving_on_term():
        each = verifier.retrieve if retrieved else verifier.verify
        results = [each(one) for one in wanted]
    if not retrieved:
        verifier.keep_manifest(results)
    return results


def _tell(results: Sequence[Verified], as_json: bool, beside: Mapping[str, object]) -> None:
    """Data to stdout, what became of the evidence to stderr."""
    if as_json:
        _print_json({**beside, "items": [result.form() for result in results]})
    else:
        for result in results:
            _print_verified(result)
    for result in results:
        if result.posted is not None:
            talk.say(f"{result.deliverable}: {result.posted.text}")


def _print_verified(result: Verified) -> None:
    print(
        f"{result.deliverable}  {talk.count(len(result.files), 'file', 'files')} in {result.folder}"
    )
    if not result.said:
        print("  no check was announced")
    width = max((len(verdict.kind) for verdict in result.said), default=0)
    for verdict in result.said:
        word = "passed" if verdict.passed else "not run" if verdict.not_run else "FAILED"
        print(f"  {word}  {verdict.kind:<{width}}  {verdict.detail}")


def pull(chosen: argparse.Namespace) -> int:
    """``punktum pull USER@HOST:DIR HOME``."""
    from punktum.pulling import NotPulled, Pull
    from punktum.rsync import Rsync
    from punktum.signals import leaving_on_term

    settings = read_settings(chosen.url, chosen.token_file)
    home = Path(chosen.folder)
    try:
        with leaving_on_term():
            done = Pull(
                Rsync(chosen.source, home, chosen.ssh, tuple(chosen.skip)),
                settings,
                tries=chosen.tries,
            ).run()
    except NotPulled as error:
        talk.say(str(error))
        return error.code
    for said in done.remarks:
        talk.say(said)
    if not chosen.json and done.rate_line is not None:
        print(done.rate_line)
    if not done.has_deliverables:
        if chosen.json:
            _print_json({**done.form(), "items": []})
        return done.code
    code = verified(
        home,
        settings,
        retrieved=True,
        reloads=chosen.reload,
        as_json=chosen.json,
        beside=done.form(),
    )
    return done.code or code


def _print_json(value: object) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))
