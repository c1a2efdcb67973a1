"""Files and results as plain JSON, for the journal and the rows made from it."""

from __future__ import annotations

from collections.abc import Iterable

from app.deliverables.rules.evidence import Result
from app.deliverables.rules.manifest import File


def files_payload(files: Iterable[File]) -> list[dict[str, object]]:
    """Files as objects of path, size and sha256."""
    return [{"path": file.path, "size": file.size, "sha256": file.sha256} for file in files]


def results_payload(results: Iterable[Result]) -> list[dict[str, object]]:
    """Results with what the server found as a code, so that it can be said in any language."""
    return [
        {
            "kind": result.kind,
            "status": str(result.status),
            "detail": result.detail,
            "evidence": dict(result.evidence),
            "note": (
                {"code": result.note.code, "values": dict(result.note.values)}
                if result.note is not None
                else None
            ),
            "announced": result.announced,
        }
        for result in results
    ]
