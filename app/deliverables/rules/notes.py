"""What the server found by itself in a submission: a stored code with values, said in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from app.texts import Text, ntext, text

_COUNTED: dict[str, Text] = {
    "ids": text("{expected} ids are expected, the evidence speaks of {found}."),
    "rows": text("{expected} rows are announced, the evidence speaks of {found}."),
    "value": text("{expected} is announced, the evidence says {found}."),
}
"""What speaks of two figures: the announced one and that of the evidence."""


@dataclass(frozen=True, slots=True)
class Note:
    """A finding as it is stored: texts change their language, codes stay."""

    code: str
    values: Mapping[str, str | int] = field(default_factory=dict)

    def said(self) -> Text:
        """The finding as a sentence."""
        values = self.values
        match self.code:
            case "not_sent":
                return text("The submission does not hold this check.")
            case "empty":
                n = int(values["n"])
                return ntext("{n} file is empty: {path}", "{n} files are empty: {path}", n,
                             path=values["path"])  # fmt: skip
            case "no_file":
                return text("{file} is not in the manifest.", file=values["file"])
            case "ids_wrong":
                return text("The evidence itself names missing or repeated ids.")
            case "ids" | "rows" | "value":
                found = {"expected": values["expected"], "found": values["found"]}
                return replace(_COUNTED[self.code], values=found)
            case "temporary":
                return text("{path} lies in a temporary folder.", path=values["path"])
            case "no_revision":
                return text("No revision of the base model is stated.")
            case "loose_revision":
                return text(
                    "“{revision}” is no exact revision: the 40 hex digits of a commit are needed.",
                    revision=values["revision"],
                )
            case "other_command":
                return text(
                    "The command run was “{found}”, announced is “{announced}”.",
                    found=values["found"],
                    announced=values["announced"],
                )
            case _:
                return text("The server found: {code}", code=self.code)
